"""The scale of each channel with which its squared error is smallest."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from common.checks.m05_1._weights import highest, largest, weight
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import TENSOR, Evidence, Recorder

if TYPE_CHECKING:
    import torch

NEAR = 0.1
"""dB: a search over 100 limits or more is nearer to the best; each mistake with a name is farther away."""


class BestScales(Exercise):
    """best_scales(w, bits): for each channel the scale with the smallest squared error."""

    id = "m05_1.best_scales"
    kind = "practice"
    minutes = 15
    criteria = {"smallest error": 3, "channel of zeros": 1}
    must_return = True
    parameters = ("w", "bits")
    not_allowed = ("HistogramObserver", "choose_qparams_affine", "minimize_scalar", "minimize")
    hints = (
        "There is no formula. Try many limits for each channel, say 1 % to 100 % of its largest absolute value, and keep "
        "the one with the smallest squared error.",
        "The scale that belongs to a limit is `limit / (2 ** (bits - 1) - 1)`. Quantize with it: divide, round, *clamp*, "
        "multiply. Without the clamp the smallest limit seems to be the best.",
        "All channels at once: with `rows = w.flatten(1)` and a fraction f, the limits are `f * rows.abs().amax(1)`, and the "
        "errors are a 1-D tensor. `torch.where(error < best_error, scale, best_scale)` keeps the better one of each channel.",
    )
    misconceptions = {
        "no-clipping": "The largest value is the limit that clips nothing, and (nearly) the one that makes the *largest* error "
        "small. The squared error is a sum over all values: with few bits it pays to clip some, because all others get "
        "smaller steps.",
        "one-fraction": "The channels have different shapes: one with an outlier wants to clip much, another one hardly. Search "
        "for each channel by itself.",
        "one-for-all": "One number for all channels: each one is to have its own.",
        "no-clamp": "Without the clamp nothing is ever clipped, and the smallest step wins. Real integers end at the last "
        "one.",
        "limits": "These are limits, not scales: the scale is one step, limit / (2^(bits-1) - 1).",
        "one-valley": "The error has several valleys: with one outlier, for example, one where the outlier fits and one "
        "where the others do. A search that goes downhill ends in one of them. Try limits everywhere.",
        "wrong-bits": "The best limit depends on the number of bits: with fewer bits the steps are larger, and it pays to clip "
        "more. `bits` is a parameter.",
        "shape": "One number for each output channel: a 1-D tensor with `w.shape[0]` entries.",
        "wrong-axis": "Axis 0 holds the output channels.",
        "zero-channel": "A channel of zeros has no best scale, but the scale must be a positive number: one divides by it.",
        "changes-input": "A search leaves the weight as it is.",
    }
    public_cases = (
        Case(shape=[6, 16, 3, 3], rows=0.6, bits=4),
        Case(shape=[4, 160], values="uniform", rows=0.5, bits=2, zero=1, seed=1),
        Case(shape=[5, 144], outlier=2.0, rows=0.4, bits=3, seed=2),
        Case(shape=[4, 150], outlier=4.0, rows=0.4, size=0.01, bits=2, seed=3),
    )
    facts = {"scales": TENSOR, "scales_type": {"type": "string"}, "w_after": TENSOR}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        w = weight(case)
        returned = ev.call(answer, w, case.bits)
        ev.tensor("w_after", w)
        ev.tensor("scales", returned)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        import torch

        w = weight(case)
        if not torch.equal(evidence.tensor("w_after"), w):
            for criterion in self.criteria:
                yield self.failed(criterion, "changes-input", "The weight holds other values after the call.")
            return
        if not evidence.has("scales"):
            detail = f"yours: {evidence.facts.get('scales_type')}"
            yield Finding(None, False, "form", "What is returned is not a tensor.", "", detail)
            return
        scales = evidence.tensor("scales")
        scales = scales.real.double() if scales.is_complex() else scales.double()
        channels = w.shape[0]
        if scales.shape != (channels,):
            kind = "wrong-axis" if tuple(scales.shape) == (w.shape[1],) else "shape"
            kind = "one-for-all" if scales.numel() == 1 else kind
            detail = f"yours {tuple(scales.shape)}, wanted ({channels},)"
            symptom = "There is not one scale for each output channel."
            yield Finding(None, False, kind, symptom, self.misconceptions[kind], detail)
            return
        zero = torch.zeros(channels, dtype=torch.bool)
        if "zero" in case:
            zero[case.zero] = True
        usable = (scales > 0) & torch.isfinite(scales)
        if bool(usable[zero].all()):
            yield self.passed("channel of zeros")
        else:
            symptom = "The scale of a channel of zeros is not a positive number."
            yield self.failed("channel of zeros", "zero-channel", symptom)
        yield self._error(case, w[~zero], scales[~zero], usable[~zero])

    def _error(self, case: Case, w: "torch.Tensor", scales: "torch.Tensor", usable: "torch.Tensor") -> Finding:
        import torch

        criterion, rows, top = "smallest error", w.flatten(1).double(), highest(case.bits)
        if not bool(usable.all()):
            return self.failed(criterion, None, "Not all scales are positive numbers.")
        best = search(rows, top)[1]
        lost = 10 * torch.log10(_errors(rows, scales, top) / best)
        if bool((lost <= NEAR).all()):
            return self.passed(criterion)
        at = int(lost.argmax())
        said, wanted = float(scales[at]), float(search(rows, top)[0][at])
        detail = f"worst channel: yours {said:.5g}, wanted about {wanted:.5g}; {float(lost[at]):.2f} dB lost"
        for kind, value in _wrong(rows, top):
            near = 0.005 if kind == "no-clipping" else 0.02
            if bool(((scales - value).abs() <= near * value).all()):
                return self.failed(criterion, kind, _SYMPTOMS[kind], detail=detail)
        if case.bits > 2 and bool((10 * torch.log10(_errors(rows, scales / top, top) / best) <= NEAR).all()):
            return self.failed(criterion, "limits", _SYMPTOMS["limits"], detail=detail)
        beside = [_errors(rows, torch.minimum(scales * f, largest(rows).reshape(-1) / top), top) for f in (0.97, 1.03)]
        valley = all(bool((_errors(rows, scales, top) <= 1.001 * e)[lost > NEAR].all()) for e in beside)
        if valley and bool((lost <= NEAR).any()):
            return self.failed(criterion, "one-valley", _SYMPTOMS["one-valley"], detail=detail)
        for bits in (2, 3, 4, 5, 6, 8):
            other = scales * top / highest(bits), scales
            found = search(rows, highest(bits))[1]
            if bits != case.bits and any(
                bool((10 * torch.log10(_errors(rows, s, highest(bits)) / found) <= 5 * NEAR).all()) for s in other
            ):
                return self.failed(criterion, "wrong-bits", _SYMPTOMS["wrong-bits"], detail=detail)
        if bool((scales < 0.5 * search(rows, top)[0]).all()):
            return self.failed(criterion, "no-clamp", _SYMPTOMS["no-clamp"], detail=detail)
        return self.failed(criterion, None, "Other scales have a smaller squared error.", detail=detail)


_SYMPTOMS = {
    "no-clipping": "The limit of every channel is its largest value, or next to it.",
    "one-fraction": "The limit is the same fraction of the largest value in every channel.",
    "one-for-all": "All channels have the same scale.",
    "no-clamp": "The scales are far too small: most values are clipped.",
    "limits": "The numbers are too large by the number of steps.",
    "one-valley": "In some channels a scale somewhere else has a smaller squared error.",
    "wrong-bits": "The scales are the best ones for another number of bits.",
}


def _errors(rows: "torch.Tensor", scales: "torch.Tensor", top: float) -> "torch.Tensor":
    """The sum of squared errors of each row."""
    import torch

    s = scales.double().reshape(-1, 1)
    return (rows - s * torch.clamp(torch.round(rows / s), -top, top)).square().sum(1)


def search(rows: "torch.Tensor", top: int, n: int = 600) -> tuple["torch.Tensor", "torch.Tensor"]:
    """Return the best scale of each row and its error, out of n limits from 1 % to 100 % of the largest value."""
    import torch

    limit = largest(rows).reshape(-1)
    best, error = limit / top, _errors(rows, limit / top, top)
    for fraction in torch.linspace(0.01, 1.0, n, dtype=torch.float64):
        scales = fraction * limit / top
        errors = _errors(rows, scales, top)
        best = torch.where(errors < error, scales, best)
        error = torch.minimum(errors, error)
    return best, error


def _wrong(rows: "torch.Tensor", top: int) -> Iterator[tuple[str, "torch.Tensor"]]:
    """The scales that known mistakes give."""
    import torch

    limit = largest(rows).reshape(-1)
    for n in (top, top + 0.5, top + 1):
        yield "no-clipping", limit / n
    fractions = torch.linspace(0.02, 1.0, 197, dtype=torch.float64)
    table = torch.stack([_errors(rows, f * limit / top, top) for f in fractions])
    relative = table / rows.square().sum(1)
    for total in (table.sum(1), relative.sum(1), relative.log().sum(1)):
        yield "one-fraction", fractions[total.argmin()] * limit / top
    for start in (limit.max(), limit.mean()):
        each = torch.stack([_errors(rows, (f * start / top).expand(len(rows)), top) for f in fractions])
        yield "one-for-all", (fractions[each.sum(1).argmin()] * start / top).expand(len(rows))
    yield "one-for-all", (limit.max() / top).expand(len(rows))
