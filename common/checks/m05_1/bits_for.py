"""The smallest number of bits with which every channel of a weight is good enough."""

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from common.checks.m05_1._weights import decibels, highest, largest, on_grid, weight
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import NUMBER, TENSOR, Evidence, Recorder

if TYPE_CHECKING:
    import torch

WIDTHS = range(2, 17)
NEAR = 0.01
"""dB: so near to the target, float32 and float64 may decide differently, and both are right."""


class BitsFor(Exercise):
    """bits_for(w, target): the smallest number of bits with which every channel reaches the target in dB."""

    id = "m05_1.bits_for"
    kind = "practice"
    minutes = 10
    criteria = {"every channel": 2, "smallest": 2}
    must_return = True
    parameters = ("w", "target")
    not_allowed = (
        "MinMaxObserver",
        "PerChannelMinMaxObserver",
        "fake_quantize_per_channel_affine",
        "choose_qparams_affine",
    )
    hints = (
        "First a function that gives the SQNR of the worst channel for one number of bits. Then ask for which numbers of "
        "bits it is high enough.",
        "With b bits the largest integer is `2 ** (b - 1) - 1`. The scale of a channel is its largest absolute value divided "
        "by this integer.",
        "Begin with 2 bits and go up; return at the first one that reaches the target. Do not jump, and do not come from "
        "above: more bits are not always better.",
    )
    misconceptions = {
        "averages": "Every channel has to reach the target. A mean is reached although some channels are far below it.",
        "whole-tensor": "The SQNR of the whole tensor is that of its large channels. Every channel has to reach the target.",
        "best-channel": "*Every* channel has to reach the target, so the worst one decides.",
        "one-scale": "Each output channel has a scale of its own here. With one scale for all, small channels need more bits.",
        "wrong-axis": "Axis 0 of a weight holds the output channels.",
        "half-width": "With b bits the integers reach from -(2^(b-1) - 1) to 2^(b-1) - 1, and the largest absolute value "
        "falls on the last one. With 2^(b-1) it falls next to the grid.",
        "six-db": "6 dB for each bit is an average over many weights. How many dB there are at the first bit, and what one "
        "more bit really gives, depends on the values. Measure.",
        "each-alone": "All channels have to reach the target with *one* number of bits. The largest of the numbers that "
        "the channels need by themselves may be too small: more bits are not always better, so a channel that is good "
        "enough with 4 bits may not be so with 5. Ask all channels at each number of bits.",
        "jumps": "More bits are not always better: values that lie exactly on the coarse grid lie beside the finer one. "
        "A search that halves, or one that comes down from above, relies on the opposite.",
        "one-less": "This is the last width that is *not* enough. One of the bits is the sign: with 4 bits the largest integer "
        "is 7, not 15. Or the search ends one step too early.",
        "one-more": "This is a bit more than is needed.",
        "zero-channel": "A channel of zeros has the scale 0, and 0 / 0 is nan. It comes back without an error, so it "
        "asks for no bits.",
        "changes-input": "A function that measures leaves the weight as it is.",
    }
    public_cases = (
        Case(shape=[6, 4, 3, 3], rows=1.0, targets=[10, 46]),
        Case(shape=[8, 12], rows=0.5, zero=5, targets=[10, 46], seed=1),
        Case(shape=[5, 30], values="grid:7", rows=0.5, targets=[10, 46], seed=2),
        Case(shape=[4, 30], values="grid:7,15", rows=0.5, targets=[10, 46], seed=3),
    )
    facts = {"answers": {"type": "array", "items": NUMBER, "maxItems": 20}, "w_after": TENSOR}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        w = weight(case)
        answers = []
        for target in _targets(case):
            returned = ev.call(answer, w, target)
            with ev.student("what was returned was read as a number"):
                answers.append(float(returned))
        ev.fact("answers", answers)
        ev.tensor("w_after", w)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        import torch

        w = weight(case)
        if not torch.equal(evidence.tensor("w_after"), w):
            for criterion in self.criteria:
                yield self.failed(criterion, "changes-input", "The weight holds other values after the call.")
            return
        said = [float(a) for a in evidence.facts["answers"]]
        worst = {b: _worst(w, b) for b in WIDTHS}
        pairs = list(zip(said, _targets(case), strict=True))
        low = [(a, t) for a, t in pairs if a not in worst or worst[int(a)] < t - NEAR]
        high = [(a, t) for a, t in pairs if any(worst[b] >= t + NEAR for b in WIDTHS if b < a)]
        kind = None
        if low or high:
            kind = next((k for k, rule in _wrong(w, worst) if [rule(t) for t in _targets(case)] == said), None)
            if kind is None and "zero" in case and all(a not in worst or a == WIDTHS[-1] for a in said):
                kind = "zero-channel"
        for criterion, found, symptom in (
            ("every channel", low, "The width that is returned is not enough for every channel."),
            ("smallest", high, "A smaller width is enough already."),
        ):
            if not found:
                yield self.passed(criterion)
                continue
            answer, target = found[0]
            right = _first(worst, target)
            detail = f"{target:g} dB: yours {answer:g} bits, wanted {right}"
            yield self.failed(criterion, kind, symptom, detail=detail)


def _targets(case: Case) -> list[float]:
    """Every second dB between the two limits: so many that mistakes are seldom taken for each other."""
    low, high = case.targets
    return [float(t) for t in range(low, high + 1, 2)]


def _worst(w: "torch.Tensor", bits: int, *, axis: int | None = 0, top: float | None = None) -> float:
    return float(_each(w, bits, axis=axis, top=top).min())


def _each(w: "torch.Tensor", bits: int, *, axis: int | None = 0, top: float | None = None) -> "torch.Tensor":
    back = on_grid(w, largest(w, axis) / (top or highest(bits)), math.ceil(top or highest(bits)))
    return decibels(w, back, axis or 0)


def _first(reached: dict[int, float], target: float) -> int | None:
    return next((b for b in sorted(reached) if reached[b] >= target), None)


def _wrong(w: "torch.Tensor", worst: dict[int, float]) -> Iterator[tuple[str, Callable[[float], int | None]]]:
    """What each known mistake answers, as a function of the target."""

    def scan(quality: Callable[[int], float]) -> Callable[[float], int | None]:
        table = {b: quality(b) for b in WIDTHS}
        return lambda target: _first(table, target)

    def bisect(target: float) -> int:
        low, high = WIDTHS[0], WIDTHS[-1]
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if worst[middle] >= target else (middle + 1, high)
        return low

    def from_above(target: float) -> int:
        b = WIDTHS[-1]
        while b > WIDTHS[0] and worst[b - 1] >= target:
            b -= 1
        return b

    def within(b: float) -> int:
        return max(WIDTHS[0], min(WIDTHS[-1], int(b)))

    each = {b: _each(w, b) for b in WIDTHS}
    channels = [{b: float(each[b][c]) for b in WIDTHS} for c in range(w.shape[0])]
    yield "each-alone", lambda target: max(_first(reached, target) or WIDTHS[-1] for reached in channels)
    yield "jumps", bisect
    yield "jumps", from_above
    for axis in (0, None):
        finite = {b: _finite(_each(w, b, axis=axis)) for b in WIDTHS}
        yield "averages", scan(lambda b, f=finite: float(f[b].mean()))
        yield "whole-tensor", scan(lambda b, a=axis: _whole(w, b, a))
    yield "averages", scan(lambda b: float(_each(w, b).mean()))
    yield "best-channel", scan(lambda b: float(_finite(_each(w, b)).max()))
    yield "best-channel", scan(lambda b: float(_each(w, b).max()))
    yield "one-scale", scan(lambda b: float(decibels(w, on_grid(w, largest(w, None) / highest(b), highest(b))).min()))
    yield "wrong-axis", scan(lambda b: _worst(w, b, axis=1))
    yield "wrong-axis", scan(lambda b: float(decibels(w, on_grid(w, largest(w, 1) / highest(b), highest(b))).min()))
    yield "wrong-axis", scan(lambda b: float(decibels(w, on_grid(w, largest(w, 0) / highest(b), highest(b)), 1).min()))
    for more in (1, 0.5):
        yield "half-width", scan(lambda b, m=more: _worst(w, b, top=highest(b) + m))
        yield (
            "half-width",
            scan(lambda b, m=more: float(decibels(w, on_grid(w, largest(w) / (highest(b) + m), highest(b))).min())),
        )
    for top in (1, 0):
        yield "one-less", scan(lambda b, t=top: _worst(w, b, top=2**b - t))
    for offset in (0.0, 1.76, -1.76, 6.02, -6.02):
        for unit in (6.0, 6.02):
            yield "six-db", lambda t, o=offset, u=unit: within(math.ceil((t - o) / u))
            yield "six-db", lambda t, o=offset, u=unit: within(math.ceil((t - o) / u) + 1)
    for known in (2, 4, 8, 16):
        for unit in (6.0, 6.02, 20 * math.log10(2)):
            yield "six-db", lambda t, k=known, u=unit: within(k + math.ceil((t - worst[k]) / u))
    yield "one-less", lambda t: (_first(worst, t) or 0) - 1
    yield "one-less", lambda t: max(WIDTHS[0], (_first(worst, t) or 0) - 1)
    yield "one-more", lambda t: (_first(worst, t) or 0) + 1


def _finite(t: "torch.Tensor") -> "torch.Tensor":
    import torch

    kept = t[torch.isfinite(t)]
    return kept if len(kept) else torch.tensor([math.inf])


def _whole(w: "torch.Tensor", bits: int, axis: int | None) -> float:
    back = on_grid(w, largest(w, axis) / highest(bits), highest(bits))
    return float(decibels(w.reshape(1, -1), back.reshape(1, -1))[0])
