"""From the accumulator to the integers of the output."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from common.checks.m07_3._integers import Results, as_results, generator, weight_scale, wide
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import TENSOR, Evidence, Recorder

if TYPE_CHECKING:
    import torch


class Requantize(Exercise):
    """requantize(acc, s_in, s_w, s_out, zp): bring an accumulator to the int8 grid of the output."""

    id = "m07_3.requantize"
    kind = "practice"
    minutes = 10
    criteria = {"inside": 2, "nearest": 1, "limits": 1}
    must_return = True
    parameters = ("acc", "s_in", "s_w", "s_out", "zp")
    not_allowed = (
        "quantize_per_tensor",
        "quantize_per_channel",
        "fake_quantize_per_tensor_affine",
        "out_dtype",
        "rescale",
        "to_int8",
    )
    hints = (
        "One step of the accumulator is the real value s_in · s_w; one step of the output is s_out. How many steps of "
        "the output is one step of the accumulator?",
        "Three things in this order: multiply and round, add the zero point, clamp to -128…127.",
        "torch.round((s_in * s_w / s_out) * acc), then + zp, then .clamp(-128, 127), then .to(torch.int8). With one scale "
        "for each channel it is the same line: the last dimension fits.",
    )
    misconceptions = {
        "cuts-off": "A cast to an integer type cuts off what stands behind the point, and floor goes down. Both are up to "
        "a whole step away, and always to the same side. Round first.",
        "forgets-zero-point": "The output has a zero point of its own: the integer zp stands for 0.0. It is counted in steps "
        "of the output, so it is added *after* the multiplication; added before, it is made so small that it is gone.",
        "zero-point-sign": "Quantizing adds the zero point; dequantizing takes it off.",
        "clamps-first": "The limits -128…127 hold for the stored integer, and the zero point is a part of it. Clamp last.",
        "other-limits": "int8 holds -128…127, both included. (-127…127 is usual for weights, 0…255 is uint8, and a clamp "
        "that begins at the zero point is a relu.)",
        "no-clamp": "What does not fit into int8 has to be clamped before the cast. The cast alone begins again at the other "
        "end.",
        "upside-down": "Real value = acc · s_in · s_w. To get steps of s_out, one *divides* by s_out.",
        "scale-missing": "The multiplier is made of all three scales: s_in · s_w / s_out.",
    }
    public_cases = (
        Case(rows=200, outputs=6, s_in=0.04, s_w=0.01, s_out=0.11, zp=17),
        Case(rows=200, outputs=5, s_in=0.02, s_w=0.006, s_out=0.05, zp=-41, per_channel=True, seed=1),
    )
    facts = {"q": TENSOR}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        acc, s_w = _data(case)
        returned = ev.call(answer, acc, case.s_in, s_w, case.s_out, case.zp)
        with ev.student("the result was read"):
            ev.tensor("q", returned)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        import torch

        if not evidence.has("q"):
            yield Finding(None, False, "form", "What is returned is not a tensor.")
            return
        said, (acc, s_w) = evidence.tensor("q"), _data(case)
        scaled = acc.double() * (wide(s_w) * case.s_in / case.s_out)
        found = as_results(said, scaled + case.zp)
        if found is None or said.dtype != torch.int8:
            detail = f"yours: {said.dtype}, shape {tuple(said.shape)}"
            symptom = "The result is not an int8 tensor in the shape of the accumulator."
            yield Finding(None, False, "form", symptom, "", detail)
            return
        inside = found.inside
        off = found.error.abs()
        if float(off[inside].max()) > 1.001:
            kind = _kind(found, scaled, acc.double(), case, wide(s_w))
            symptom = _SYMPTOMS.get(kind or "", "Values that fit into int8 come out as other ones.")
            about_limits = kind in ("clamps-first", "other-limits")
            yield self.failed("limits" if about_limits else "inside", kind, symptom)
            return
        yield self.passed("inside")
        if float(off[inside].max()) > 0.502:
            symptom = "Values are up to a whole step away from the exact result."
            yield self.failed("nearest", "cuts-off", symptom)
        else:
            yield self.passed("nearest")
        if float(off[~inside].max()) > 1.001:
            kind = _kind(found, scaled, acc.double(), case, wide(s_w), where=~inside)
            yield self.failed("limits", kind, "Values that do not fit into int8 come out wrong.")
        elif float(off[found.beyond(0.5)].max()) > 0:
            yield self.failed("limits", "other-limits", _SYMPTOMS["other-limits"])
        else:
            yield self.passed("limits")


_SYMPTOMS = {
    "forgets-zero-point": "The zero point is not in the result.",
    "zero-point-sign": "The zero point goes in with the wrong sign.",
    "clamps-first": "The values end at other integers than -128 and 127.",
    "other-limits": "The values end at other integers than -128 and 127.",
    "upside-down": "The multiplier is upside down.",
    "scale-missing": "One of the three scales is not in the multiplier.",
}


def _kind(
    found: Results,
    scaled: "torch.Tensor",
    acc: "torch.Tensor",
    case: Case,
    s_w: "torch.Tensor",
    where: "torch.Tensor | None" = None,
) -> str | None:
    """The mistake that gives these values."""
    zp, whole = case.zp, scaled.round()
    known = [
        ("clamps-first", whole.clamp(-128, 127) + zp),
        ("clamps-first", (whole.clamp(-128, 127) + zp).clamp(-128, 127)),
        ("other-limits", (whole + zp).clamp(0, 255)),
        ("other-limits", (whole + zp).clamp(0, 127)),
        ("other-limits", (whole + zp).clamp(zp, 127)),
        ("forgets-zero-point", whole.clamp(-128, 127)),
        ("zero-point-sign", (whole - zp).clamp(-128, 127)),
        *(
            ("upside-down", (acc * factor + zp).round().clamp(-128, 127))
            for factor in (case.s_out / (case.s_in * s_w), case.s_in * s_w * case.s_out)
        ),
        *(
            ("scale-missing", (acc * factor + zp).round().clamp(-128, 127))
            for factor in (case.s_in / case.s_out, s_w / case.s_out, case.s_in * s_w, 1 / case.s_out)
        ),
    ]
    if where is not None:
        return "clamps-first" if found.likeliest(known[:2], where) else "no-clamp"
    return found.likeliest(known)


def _data(case: Case) -> "tuple[torch.Tensor, Any]":
    """The accumulator and the scale of the weight: about one result in three does not fit into int8."""
    import torch

    rng = generator(case)
    s_w = weight_scale(case, rng, case.outputs)
    real = (torch.rand(case.rows, case.outputs, generator=rng, dtype=torch.float64) - 0.5) * 400
    return ((real - case.zp) / (wide(s_w) * case.s_in / case.s_out)).round().to(torch.int32), s_w
