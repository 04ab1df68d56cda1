"""How good the worst channel of a weight is, with one scale for each channel and with one for all."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from common.checks.m05_1._weights import decibels, largest, on_grid, weight
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import NUMBER, TENSOR, Evidence, Recorder

if TYPE_CHECKING:
    import torch

NEAR = 0.02
"""dB: float32 and float64 agree better than this, and every mistake that has a name is farther away."""


class PerChannelVsTensor(Exercise):
    """per_channel_vs_tensor(w): SQNR of the worst channel, with one scale for each channel and with one for all."""

    id = "m05_1.per_channel_vs_tensor"
    kind = "core"
    minutes = 15
    criteria = {"one scale for each channel": 2, "one scale for all": 2}
    must_return = True
    parameters = ("w",)
    not_allowed = (
        "MinMaxObserver",
        "PerChannelMinMaxObserver",
        "fake_quantize_per_channel_affine",
        "quantize_per_channel",
        "choose_qparams_affine",
    )
    hints = (
        "Write a small function first: it takes a weight and its scale (one number, or one for each channel) and returns "
        "the weight after quantize and dequantize. Then measure channel by channel.",
        "The scale of a channel is its largest *absolute* value divided by 127. For a weight (out, in, 3, 3) the scales "
        "need the shape (out, 1, 1, 1) to fit: `amax(dim=..., keepdim=True)`.",
        "Measure with `sqnr(w[c], back[c])` for every c, and take the `min`. Do this twice. A channel of zeros has the "
        "scale 0: give it any other scale, and it comes back as zeros.",
    )
    misconceptions = {
        "averages": "A mean over channels hides the one that is lost: seven good channels and a dead one look fine. The "
        "worst one was asked for.",
        "whole-tensor": "The SQNR of the whole tensor adds up the squares of all channels. The large channels make nearly all "
        "of that sum, so it says next to nothing about the small ones. Measure each channel by itself.",
        "wrong-axis": "Axis 0 of a weight holds the output channels: `w[c]` is the filter of output channel c. Axis 1 "
        "holds the input channels.",
        "half-width": "From -127 to 127 there are 127 steps on each side of 0. With 128 or 127.5 the grid is another one, and "
        "the numbers differ by a few tenths of a dB or more.",
        "one-side": "A symmetric grid has to reach the value that is farthest from 0, on whichever side it is: "
        "`w.abs().amax()`, not `w.max()`.",
        "best-channel": "Higher is better, so the worst channel is the one with the *lowest* SQNR.",
        "swapped": "The pair is (one scale for each channel, one scale for all), in this order.",
        "zero-channel": "A channel of zeros has the largest value 0, so its scale is 0, and 0 / 0 is nan. It needs "
        "some other scale; then it comes back without any error.",
        "smallest-scale": "A scale is as small as its channel is. A lower limit such as 2⁻¹² rounds a small channel to "
        "zeros. Only the scale 0 is to be replaced, or the limit has to be far smaller, such as 1e-12.",
        "scale-from-others": "A scale for each channel looks at the values of this channel only.",
        "not-rounded": "Without rounding there is no error. The integers are whole numbers.",
        "changes-input": "A function that measures leaves what it measures as it is: the caller goes on with this weight.",
    }
    public_cases = (
        Case(shape=[8, 3, 3, 3], rows=1.2),
        Case(shape=[6, 10], rows=0.8, columns=0.8, size=0.01, seed=3),
        Case(shape=[5, 4, 3, 3], rows=0.6, zero=2, seed=1),
    )
    facts = {"channel": NUMBER, "tensor": NUMBER, "w_after": TENSOR}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        w = weight(case)
        returned = ev.call(answer, w)
        ev.tensor("w_after", w)
        with ev.student("what was returned was read as a pair of numbers"):
            channel, tensor = returned
            ev.fact("channel", float(channel))
            ev.fact("tensor", float(tensor))

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        import torch

        w = weight(case)
        if not torch.equal(evidence.tensor("w_after"), w):
            for criterion in self.criteria:
                yield self.failed(criterion, "changes-input", "The weight holds other values after the call.")
            return
        got = float(evidence.facts["channel"]), float(evidence.facts["tensor"])
        wanted = _worst(w, 0), _worst(w, None)
        if _near(got[0], wanted[1]) and _near(got[1], wanted[0]):
            yield self.failed("one scale for each channel", "swapped", "The two numbers stand in the wrong order.")
            yield self.failed("one scale for all", "swapped", "The two numbers stand in the wrong order.")
            return
        for criterion, said, right, axis in zip(self.criteria, got, wanted, (0, None), strict=True):
            if _near(said, right):
                yield self.passed(criterion)
                continue
            kind = next((k for k, value in _wrong(w, axis) if _near(said, value)), None)
            if "zero" in case and not math.isfinite(said):
                kind = None if said == math.inf else "zero-channel"
            detail = f"{criterion}: yours {said:.2f} dB, wanted {right:.2f} dB"
            yield self.failed(criterion, kind, _SYMPTOMS.get(kind, _OTHER), detail=detail)


_OTHER = "The number is not the SQNR of the worst channel."
_SYMPTOMS: dict[str | None, str] = {
    "averages": "The number is a mean over the channels.",
    "whole-tensor": "The number is the SQNR of the whole tensor.",
    "wrong-axis": "The number belongs to channels along another axis.",
    "half-width": "The number belongs to a grid that is a little wider or narrower.",
    "one-side": "The grid does not reach the value that is farthest from 0.",
    "best-channel": "The number is the SQNR of the best channel.",
    "zero-channel": "A channel of zeros makes the number nan, or minus infinity.",
    "smallest-scale": "Scales of small channels are larger than the largest absolute value divided by 127.",
    "scale-from-others": "The scales are not made of the values of their own channel.",
    "not-rounded": "There is no error, or hardly any.",
}


def _near(a: float, b: float) -> bool:
    return a == b or abs(a - b) <= NEAR


def _worst(w: "torch.Tensor", axis: int | None, top: float = 127, measured: int = 0) -> float:
    return float(decibels(w, on_grid(w, largest(w, axis) / top, 127), measured).min())


def _wrong(w: "torch.Tensor", axis: int | None) -> Iterator[tuple[str, float]]:
    """What each known mistake gives, for scales along an axis (None: one for all)."""
    import torch

    right = on_grid(w, largest(w, axis) / 127, 127)
    each = decibels(w, right)
    used = each[torch.isfinite(each)]
    whole = 10 * math.log10(float(w.double().square().sum() / (w.double() - right).square().sum().clamp(min=1e-300)))
    yield "whole-tensor", whole
    yield "averages", float(used.mean())
    yield "averages", float(each.mean())
    yield "averages", float(used.median())
    yield "averages", 10 * math.log10(float((10 ** (used / 10)).mean()))
    yield "best-channel", float(used.max())
    yield "best-channel", float(each.max())
    yield "wrong-axis", _worst(w, axis, measured=1)
    if axis == 0:
        for measured in (0, 1):
            yield "wrong-axis", _worst(w, 1, measured=measured)
        yield "scale-from-others", _worst(w, None)
        mean = largest(w, 0).mean()
        yield "scale-from-others", float(decibels(w, on_grid(w, mean.expand_as(w) / 127, 127)).min())
    for top in (128, 127.5, 255, 254, 126):
        yield "half-width", _worst(w, axis, top)
    for top in (128, 127.5):
        yield "half-width", float(decibels(w, on_grid(w, largest(w, axis) / top, 128)).min())
    for smallest in (2**-12, 1e-3, 1e-4, 1e-5, 1e-6):
        scale = (largest(w, axis) / 127).clamp(min=smallest)
        if bool((scale > largest(w, axis) / 127).any()):
            yield "smallest-scale", float(decibels(w, on_grid(w, scale, 127)).min())
    side = w.clamp(min=0)
    for high in (127, 1e9):
        yield "one-side", float(decibels(w, on_grid(w, largest(side, axis) / 127, high)).min())
    if float(each.min()) < 100:
        yield "not-rounded", math.inf
