"""Adding two tensors whose integers count in steps of different size."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from common.checks.m07_3._integers import Results, as_results, generator, integers, wrapped
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import TENSOR, Evidence, Recorder

if TYPE_CHECKING:
    import torch


class IntegerAdd(Exercise):
    """integer_add(a, s_a, z_a, b, s_b, z_b, s_y, z_y): the integers of a + b."""

    id = "m07_3.integer_add"
    kind = "practice"
    minutes = 15
    criteria = {"two scales": 2, "rounding": 1, "limits": 1}
    must_return = True
    parameters = ("a", "s_a", "z_a", "b", "s_b", "z_b", "s_y", "z_y")
    not_allowed = ("quantize_per_tensor", "fake_quantize_per_tensor_affine", "out_dtype", "rescale", "to_int8")
    hints = (
        "Write the real values of a and b, add them, and ask which integer of the output stands for the sum.",
        "Each input gets a multiplier of its own: s_a / s_y and s_b / s_y. Its zero point is taken off first, in int32.",
        "Bring both to steps of the output, add, round, then + z_y, clamp to -128…127, to int8.",
    )
    misconceptions = {
        "adds-integers": "Integers with different scales are like metres and feet: they cannot be added as they are.",
        "one-scale": "Each of the two inputs has a scale of its own, and so a multiplier of its own.",
        "input-zero-point": "What stands for 0.0 is z_a in the one input and z_b in the other. Both are taken off before "
        "anything is multiplied.",
        "output-zero-point": "The output has a zero point of its own. It is added last, before the clamp.",
        "overflow": "a - z_a needs 9 bits, and a sum one more. Go to int32 first.",
        "zero-point-twice": "The output has one zero point, and it is added once: to the sum, not to each part.",
        "other-limits": "int8 holds -128…127, both included. (-127…127 is usual for weights, and 0…255 is uint8.)",
        "no-clamp": "A sum can lie outside of -128…127. The cast to int8 alone begins again at the other end.",
        "clamps-first": "The limits hold for the stored integer: the whole sum, with the zero point in it. A part of it may "
        "go beyond them. Clamp last, once.",
        "cuts-off": "A cast cuts off what stands behind the point. Then the sum is too small on average, or too near to 0: "
        "round, before the cast.",
    }
    public_cases = (
        Case(s_a=0.05, z_a=-12, s_b=0.021, z_b=40, s_y=0.06, z_y=9),
        Case(s_a=0.013, z_a=-128, s_b=0.031, z_b=6, s_y=0.04, z_y=-70, seed=1),
    )
    facts = {"sum": TENSOR}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        a, b = _data(case)
        returned = ev.call(answer, a, case.s_a, case.z_a, b, case.s_b, case.z_b, case.s_y, case.z_y)
        with ev.student("the sum was read"):
            ev.tensor("sum", returned)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        import torch

        if not evidence.has("sum"):
            yield Finding(None, False, "form", "What is returned is not a tensor.")
            return
        said, (a, b) = evidence.tensor("sum"), (t.double() for t in _data(case))
        real = ((a - case.z_a) * case.s_a + (b - case.z_b) * case.s_b) / case.s_y
        found = as_results(said, real + case.z_y)
        if found is None or said.dtype != torch.int8:
            detail = f"yours: {said.dtype}, shape {tuple(said.shape)}"
            yield Finding(None, False, "form", "The sum is not an int8 tensor in the shape of a.", "", detail)
            return
        inside, error = found.inside, found.error
        if float(error[inside].abs().max()) > 1.001:
            near = float(error[inside].abs().max()) <= 2.001
            kind = "cuts-off" if near else _kind(found, a, b, case)
            criterion = {"cuts-off": "rounding", "clamps-first": "limits", "other-limits": "limits"}.get(
                kind or "", "two scales"
            )
            symptom = _SYMPTOMS.get(kind or "", "The sum is another one.")
            yield self.failed(criterion, kind, symptom)
            return
        yield self.passed("two scales")
        sides = [error[inside & side] for side in (real > 1, real < -1)]
        if any(len(side) and abs(float(side.mean())) > 0.2 for side in sides):
            yield self.failed("rounding", "cuts-off", _SYMPTOMS["cuts-off"])
        else:
            yield self.passed("rounding")
        if float(error[~inside].abs().max()) > 1.001:
            first = (real.round().clamp(-128, 127) + case.z_y).clamp(-128, 127)
            kind = found.likeliest([("clamps-first", first)], ~inside) or "no-clamp"
            yield self.failed("limits", kind, "Sums that do not fit into int8 come out wrong.")
        elif float(error[found.beyond(1.5)].abs().max()) > 0:
            yield self.failed("limits", "other-limits", _SYMPTOMS["other-limits"])
        else:
            yield self.passed("limits")


_SYMPTOMS = {
    "adds-integers": "The integers are added as they are.",
    "one-scale": "Both inputs are treated as if they had the same scale.",
    "input-zero-point": "The zero point of an input is still in the sum, or was added to it.",
    "output-zero-point": "The zero point of the output is not in the sum, or with the wrong sign.",
    "overflow": "Numbers have left the range of their type on the way.",
    "clamps-first": "The sums end at other integers than -128 and 127.",
    "zero-point-twice": "The zero point of the output is in the sum twice.",
    "other-limits": "The sums end at other integers than -128 and 127.",
    "cuts-off": "The sums are off to one side on average.",
}


def _kind(found: Results, a: "torch.Tensor", b: "torch.Tensor", case: Case) -> str | None:
    """The mistake that gives these values."""

    def total(
        x: "torch.Tensor", y: "torch.Tensor", s_a: float = case.s_a, s_b: float = case.s_b, z: int = case.z_y
    ) -> "torch.Tensor":
        return ((x * s_a + y * s_b) / case.s_y + z).round().clamp(-128, 127)

    x, y = a - case.z_a, b - case.z_b
    real = ((x * case.s_a + y * case.s_b) / case.s_y).round()
    plain = [a + b, a + b - case.z_a - case.z_b, a + b + case.z_y, x + y + case.z_y]
    one, two = x * case.s_a / case.s_y, y * case.s_b / case.s_y
    in_parts = [((one, two), case.z_y), ((one + case.z_y, two), 0), ((one, two + case.z_y), 0)]
    narrow = [wrapped(t.long(), 8).double() for t in (x, y)]
    known = [
        ("output-zero-point", total(x, y, z=0)),
        ("output-zero-point", total(x, y, z=-case.z_y)),
        *(("input-zero-point", total(p, q)) for p, q in ((a, y), (x, b), (a, b), (a + case.z_a, b + case.z_b))),
        *(("one-scale", total(x, y, s, s)) for s in (case.s_a, case.s_b)),
        *(("adds-integers", t.clamp(-128, 127)) for t in plain),
        *(("overflow", total(p, q)) for p, q in (narrow, (narrow[0], y), (x, narrow[1]))),
        ("clamps-first", real.clamp(-128, 127) + case.z_y),
        ("clamps-first", (real.clamp(-128, 127) + case.z_y).clamp(-128, 127)),
        *(("clamps-first", (sum(p.clamp(-128, 127) for p in parts) + z).clamp(-128, 127)) for parts, z in in_parts),
        ("zero-point-twice", total(x, y, z=2 * case.z_y)),
        ("other-limits", (real + case.z_y).clamp(0, 255)),
        ("other-limits", (real + case.z_y).clamp(0, 127)),
        ("other-limits", (real + case.z_y).clamp(case.z_y, 127)),
    ]
    return found.likeliest(known)


def _data(case: Case) -> "tuple[torch.Tensor, torch.Tensor]":
    rng = generator(case)
    return integers(rng, -128, 127, 60, 80), integers(rng, -128, 127, 60, 80)
