"""Quantize and dequantize in one function, with the rounding that torch has."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import TENSOR, Evidence, Recorder

if TYPE_CHECKING:
    import torch


class FakeQuantizeByHand(Exercise):
    """fake_quantize(x, scale, zero_point, quant_min, quant_max): quantize and dequantize a tensor."""

    id = "m02_1.fake_quantize"
    kind = "core"
    minutes = 15
    criteria = {"inside": 2, "ties": 1, "limits": 1}
    must_return = True
    parameters = ("x", "scale", "zero_point", "quant_min", "quant_max")
    not_allowed = (
        "fake_quantize_per_tensor_affine",
        "fake_quantize_per_channel_affine",
        "quantize_per_tensor",
        "dequantize_per_tensor",
        "quantize_per_channel",
        "FakeQuantize",
        "quantize_affine",
        "dequantize_affine",
    )
    hints = (
        "Two formulas in one function: first q from x, then a float from q. Write them one below the other.",
        "q = clamp(round(x / scale) + zero_point, quant_min, quant_max), and back: scale * (q - zero_point).",
        "`torch.round` rounds a tie to the even neighbour, as torch's own fake quant does. The order counts: round, add the "
        "zero point, clamp.",
    )
    misconceptions = {
        "truncated": "Rounding goes to the nearest integer. Cutting off the digits, or going down, is up to a whole step "
        "away, and always to the same side.",
        "half-up": "A value exactly between two integers goes to the *even* one, so that as many ties go up as go down. "
        "`torch.round` does so, `floor(x + 0.5)` does not.",
        "rounds-after-zero-point": "torch rounds x / scale, and adds the zero point to the integer. With an odd zero point, "
        "a tie would otherwise fall on the other side.",
        "clamps-before-zero-point": "The limits hold for the stored integer q, and q contains the zero point. Clamped before "
        "it is added (or with the zero point left out altogether), the grid begins and ends at the wrong values.",
        "no-clamp": "There is no integer outside of `quant_min…quant_max`. A value beyond the last point of the grid becomes "
        "the last point.",
        "hard-coded-range": "-128…127 is only one of the ranges in use. The limits are parameters.",
        "wraps": "int8 holds -128…127 and nothing else. A value that is too large has to be clamped before it is cast, and "
        "integers up to 255 need a wider type; otherwise they come out at the other end.",
        "zero-point-left-in": "Dequantize takes the zero point off again: 0.0 has to come back as 0.0.",
        "wrong-sign": "The zero point is added when quantizing, and subtracted when dequantizing. The other way round, values "
        "inside come out right by luck, and the limits lie on the wrong side.",
        "not-dequantized": "Fake quant returns floats in the size of x again. What comes back here are the integers.",
        "scale-upside-down": "The scale is the width of one step. A value has x / scale steps; q steps are q · scale wide.",
        "one-integer-too-few": "`quant_min` and `quant_max` are integers of the grid themselves: clamp includes both.",
        "flattened": "The ops of a net read a tensor of the same shape. `reshape(x.shape)` brings a flat one back into it.",
        "changes-input": "The caller still needs x. An operation that ends in `_`, or `out=x`, changes it.",
    }
    public_cases = (
        Case(scale=0.25, zero_point=0, quant_min=-128, quant_max=127),
        Case(scale=0.037, zero_point=-43, quant_min=-128, quant_max=127),
        Case(scale=0.5, zero_point=3, quant_min=-8, quant_max=7),
    )
    facts = {"output": TENSOR, "x_after": TENSOR, "type": {"type": "string"}}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        x = _input(case)
        returned = ev.call(answer, x, case.scale, case.zero_point, case.quant_min, case.quant_max)
        ev.tensor("x_after", x)
        ev.fact("type", type(returned).__name__[:100])
        ev.tensor("output", returned)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        import torch

        x, parts = _input(case), _parts(case)
        if not torch.equal(evidence.tensor("x_after"), x):
            symptom = "The function changes its input: the caller's x holds other values afterwards."
            for criterion in self.criteria:
                yield self.failed(criterion, "changes-input", symptom)
            return
        if "output" not in evidence.facts or evidence.tensor("output").shape != x.shape:
            symptom, detail = (
                "The function does not return a tensor of the shape of x.",
                f"yours: {evidence.facts['type']}",
            )
            got = evidence.tensor("output") if "output" in evidence.facts else None
            if got is None or got.numel() != x.numel():
                yield Finding(None, False, "form", symptom, "", detail)
                return
            detail = f"yours: {tuple(got.shape)}, that of x: {tuple(x.shape)}"
            yield Finding(None, False, "flattened", symptom, self.misconceptions["flattened"], detail)
            return
        x, output = x.flatten(), evidence.tensor("output").flatten().double()
        right = _near(output, _right(case, x), case)
        kind = None if bool(right.all()) else self._cause(case, x, output)
        for criterion, part in parts.items():
            if bool(right[part].all()):
                yield self.passed(criterion)
                continue
            at = int((~right[part]).nonzero()[0])
            got, wanted, value = (float(v[part][at]) for v in (output, _right(case, x), x))
            detail = (
                f"scale {case.scale:g}, zero point {case.zero_point}, integers {case.quant_min}…{case.quant_max}: "
                f"x = {value:g}, yours {got:g}, wanted {wanted:g}"
            )
            yield self.failed(criterion, kind, _SYMPTOMS[criterion], detail=detail)

    def _cause(self, case: Case, x: "torch.Tensor", output: "torch.Tensor") -> str | None:
        """The known mistake that gives exactly this output."""
        for kind, values in _wrong(case, x.double()):
            if bool(_near(output, values, case).all()):
                return kind
        return None


_SYMPTOMS = {
    "inside": "Values inside of the range do not come back on the nearest point of the grid.",
    "ties": "A value exactly between two points of the grid goes to the wrong one.",
    "limits": "Values outside of the range do not come back as the first or the last point of the grid.",
}


def _levels(case: Case) -> "torch.Tensor":
    """The integers of the grid, the zero point taken off."""
    import torch

    return torch.arange(case.quant_min, case.quant_max + 1, dtype=torch.float64) - case.zero_point


def _is_power_of_two(value: float) -> bool:
    import math

    return math.frexp(value)[0] == 0.5


def _split(case: Case) -> tuple["torch.Tensor", "torch.Tensor", "torch.Tensor"]:
    """Inputs in three parts, in float64: away from ties, exactly on them, and far outside.

    Ties are exact in float32 only where the scale is a power of two; other scales get none.
    """
    import torch

    generator = torch.Generator().manual_seed(case.seed)
    levels = _levels(case)
    off = 0.8 * torch.rand(len(levels), generator=generator, dtype=torch.float64) - 0.4
    off[0], off[-1] = off[0].abs(), -off[-1].abs()  # the ends of the grid belong to the range
    inside = case.scale * (levels + off)
    ties = case.scale * (levels[:-1] + 0.5) if _is_power_of_two(case.scale) else inside[:0]
    beyond = torch.tensor([0.7, 3.3, 40.2, 300.1, 7000.3], dtype=torch.float64)
    limits = case.scale * torch.cat([levels[0] - beyond, levels[-1] + beyond])
    return inside, ties, limits


def _input(case: Case) -> "torch.Tensor":
    import torch

    x = torch.cat(_split(case)).float()
    rows = next(n for n in (4, 3, 2, 1) if len(x) % n == 0)
    return x.reshape(rows, -1, 1)


def _parts(case: Case) -> dict[str, slice]:
    inside, ties, _limits = (len(part) for part in _split(case))
    return {"inside": slice(0, inside), "ties": slice(inside, inside + ties), "limits": slice(inside + ties, None)}


def _near(a: "torch.Tensor", b: "torch.Tensor", case: Case) -> "torch.Tensor":
    """Closer than a thousandth of a step: rounding of floats is less, another point of the grid is more."""
    return (a - b).abs() <= 1e-3 * case.scale + 1e-6 * b.abs()


def _right(case: Case, x: "torch.Tensor") -> "torch.Tensor":
    import torch

    s, z, low, high = case.scale, case.zero_point, case.quant_min, case.quant_max
    return torch.fake_quantize_per_tensor_affine(x, s, z, low, high).double()


def _wrong(case: Case, x: "torch.Tensor") -> Iterator[tuple[str, "torch.Tensor"]]:
    """What each known mistake gives."""
    import torch

    s, z, low, high = case.scale, case.zero_point, case.quant_min, case.quant_max
    exact = x / s
    nearest = torch.round(exact)

    def back(q: "torch.Tensor", a: int = low, b: int = high) -> "torch.Tensor":
        return s * (q.clamp(a, b) - z)

    yield "half-up", back(torch.floor(exact + 0.5) + z)
    yield "half-up", back(torch.sign(exact) * torch.floor(exact.abs() + 0.5) + z)
    yield "half-up", back(torch.floor(exact + z + 0.5))
    yield "rounds-after-zero-point", back(torch.round(exact + z))
    for cut in (torch.trunc, torch.floor):
        yield "truncated", back(cut(exact) + z)
        yield "truncated", back(cut(exact + z))
    yield "truncated", back(torch.trunc((exact + z).clamp(low, high)))
    yield "clamps-before-zero-point", s * nearest.clamp(low, high)
    yield "clamps-before-zero-point", s * (nearest.clamp(low, high) + z)
    yield "no-clamp", s * nearest
    outside = (nearest + z < low) | (nearest + z > high)
    yield "no-clamp", torch.where(outside, x, s * nearest)
    yield "hard-coded-range", back(nearest + z, -128, 127)
    yield "wraps", back(torch.remainder(nearest + z + 128, 256) - 128)
    yield "wraps", s * (torch.remainder(nearest + z + 128, 256) - 128 - z)
    yield "wraps", s * (torch.remainder((nearest + z).clamp(low, high) + 128, 256) - 128 - z)
    yield "wraps", s * (torch.remainder((nearest + z).clamp(low, high) - z + 128, 256) - 128)
    yield "one-integer-too-few", back(nearest + z, low, high - 1)
    yield "one-integer-too-few", back(nearest + z, low + 1, high)
    yield "scale-upside-down", ((torch.round(x * s) + z).clamp(low, high) - z) / s
    yield "scale-upside-down", s * ((torch.round(x * s) + z).clamp(low, high) - z)
    yield "zero-point-left-in", s * (nearest + z).clamp(low, high)
    yield "wrong-sign", s * ((nearest - z).clamp(low, high) + z)
    yield "wrong-sign", back(nearest - z)
    yield "not-dequantized", (nearest + z).clamp(low, high)
    yield "not-dequantized", (nearest + z).clamp(low, high) - z
