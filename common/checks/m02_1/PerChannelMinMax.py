"""An observer with a range, and a scale, for each channel."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import TENSOR, Evidence, Recorder

if TYPE_CHECKING:
    import torch

EPS = 2**-12
HIGHEST = 127


class PerChannelMinMax(Exercise):
    """PerChannelMinMax(axis): a module that keeps a range for each channel along an axis, and gives their scales."""

    id = "m02_1.PerChannelMinMax"
    kind = "practice"
    minutes = 20
    criteria = {"one range for each channel": 2, "all batches": 1, "scales": 1}
    parameters = ("axis",)
    not_allowed = (
        "PerChannelMinMaxObserver",
        "MinMaxObserver",
        "ObserverBase",
        "calculate_qparams",
        "choose_qparams_affine",
        "choose_qparams_symmetric",
    )
    hints = (
        "For each channel the minimum goes over all the *other* axes. With axis 0 of a weight (out, in, 3, 3), these are "
        "three axes at once.",
        "`torch.amin(x, dim=...)` takes a list of axes. Which ones are they, when `axis` stays? The result is 1-D, with as "
        "many entries as there are channels.",
        "`torch.minimum` combines two tensors entry by entry. The scale of a channel is the larger of `-lo` and `hi`, divided "
        "by 127, and at least 2⁻¹²: `torch.maximum` and `clamp(min=...)`.",
    )
    misconceptions = {
        "wrong-axis": "`dim=` names the axes that *disappear*. For one value per channel, all axes disappear except that of "
        "the channels.",
        "always-axis-0": "Axis 0 holds the output channels of a convolution or linear weight. Of a transposed convolution it "
        "is axis 1, and of an activation too: the axis is a parameter.",
        "one-for-all": "A minimum over everything is one number. Per channel means one number for each channel.",
        "mixed-channels": "`reshape` and `view` cut the numbers in the order in which they lie in memory. The axis of the "
        "channels has to be moved to the front first.",
        "keeps-dims": "The ops that read these numbers, such as quantize_per_channel, expect a 1-D tensor with one entry for "
        "each channel.",
        "last-batch": "An observer sees many batches, and each channel's range has to hold all of them.",
        "starts-at-zero": "With 0 as the start, 0 counts as a value that was seen in every channel.",
        "largest-of-all": "One scale from the largest value of the whole tensor makes the steps of small channels far too "
        "large: this is what per channel is there to avoid.",
        "one-limit": "A symmetric grid has to reach the limit that is farther away from 0, on whichever side it is, in each "
        "channel.",
        "affine-scale": "`(hi - lo) / steps` is the affine formula. A symmetric grid has to reach the limit that is farther "
        "away from 0, on both sides: `max(-lo, hi) / 127`.",
        "eps-added": "2⁻¹² is the *smallest* scale. It takes the place of smaller ones, and is not added to any.",
        "not-a-method": "`scales()` is called, so it has to stay a method: `self.scales = …` in `forward` replaces it.",
        "number-of-axes": "A weight of a linear has two axes, that of a convolution four. `x.dim()` says how many there are.",
        "half-width": "From -127 to 127 there are 254 steps, 127 on each side of 0.",
        "no-smallest-scale": "A channel of zeros (a pruned one, for example) would get a scale of 0, and one divides by the "
        "scale. 2⁻¹² is the smallest scale allowed.",
    }
    public_cases = (
        Case(shape=[4, 3, 2, 2], axis=0, batches=1),
        Case(shape=[3, 5, 2, 4], axis=1, batches=3),
        Case(shape=[4, 6], axis=0, batches=1, zero_channel=2),
    )
    facts = {
        "lo": TENSOR,
        "hi": TENSOR,
        "scales": TENSOR,
        "passed_on": {"type": "boolean"},
        "types": {"type": "object", "additionalProperties": {"type": "string"}},
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        import torch

        observer = ev.call(answer, case.axis)
        passed_on = []
        for x in _batches(case):
            with ev.student("the observer was shown a batch"):
                output = observer(x.clone())
                passed_on.append(isinstance(output, torch.Tensor) and torch.equal(output, x))
        ev.fact("passed_on", all(passed_on))
        with ev.student("`lo` and `hi` were read"):
            found = {"lo": observer.lo, "hi": observer.hi}
        with ev.student("`scales()` was called"):
            found["scales"] = observer.scales()
        ev.fact("types", {name: type(value).__name__[:100] for name, value in found.items()})
        for name, value in found.items():
            ev.tensor(name, value)

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        exception = evidence.exception or {}
        message, during = exception.get("message", ""), exception.get("during") or ""
        if "`scales()`" in during and "object is not callable" in message and not exception["frames"]:
            yield self.failed("scales", "not-a-method", "`scales` is no longer a method.")
        elif "shown a batch" in during and message.startswith("Dimension out of range"):
            symptom = "A tensor with another number of axes was shown, and `forward` expects a fixed one."
            yield self.failed("one range for each channel", "number-of-axes", symptom)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        if not evidence.facts["passed_on"]:
            yield Finding(None, False, "forward", "`forward` does not return what came in.", "An observer only looks.")
            return
        if not all(evidence.has(name) for name in ("lo", "hi", "scales")):
            detail = ", ".join(f"{name}: {kind}" for name, kind in evidence.facts["types"].items())
            yield Finding(None, False, "form", "`lo`, `hi`, or what `scales()` returns, is not a tensor.", "", detail)
            return
        got = {name: evidence.tensor(name) for name in ("lo", "hi", "scales")}
        channels = self._channels(case, got)
        yield channels
        yield self._all_batches(case, got, channels.passed)
        yield self._scales(case, got)

    def _channels(self, case: Case, got: dict[str, "torch.Tensor"]) -> Finding:
        """Whether there is a range for each channel, of some of the batches at least."""
        criterion, batches = "one range for each channel", _batches(case)
        n = case.shape[case.axis]
        shapes = f"lo has the shape {tuple(got['lo'].shape)}, wanted ({n},)"
        if all(got[name].shape == (n,) for name in ("lo", "hi")):
            if any(_same_ranges(got, wanted) for _kind, wanted in _ranges(batches, case.axis)):
                return self.passed(criterion)
            for kind, ranges in (
                ("mixed-channels", [(b.reshape(n, -1).amin(1), b.reshape(n, -1).amax(1)) for b in batches]),
                ("always-axis-0", _of_each(batches, 0)),
            ):
                if any(_same_ranges(got, wanted) for _kind, wanted in _variants(ranges)):
                    symptom = "There is a range for each channel, but it is not made of the values of this channel."
                    return self.failed(criterion, kind, symptom)
            return self.failed(criterion, None, "The ranges are not those of the channels.")
        if got["lo"].numel() == 1:
            return self.failed(criterion, "one-for-all", "There is one range for the whole tensor.", detail=shapes)
        if got["lo"].numel() == n and got["lo"].dim() > 1 and max(got["lo"].shape) == n:
            symptom = "`lo` and `hi` have more than one dimension."
            return self.failed(criterion, "keeps-dims", symptom, detail=shapes)
        symptom = "The number of ranges is not the number of channels."
        rest = [size for i, size in enumerate(case.shape) if i != case.axis]
        kind = None
        if list(got["lo"].squeeze().shape) == rest:
            kind = "wrong-axis"
        elif got["lo"].numel() == case.shape[0] and case.axis != 0:
            kind = "always-axis-0"
        return self.failed(criterion, kind, symptom, detail=shapes)

    def _all_batches(self, case: Case, got: dict[str, "torch.Tensor"], right_channels: bool) -> Finding:
        criterion, batches = "all batches", _batches(case)
        if right_channels:
            kind = next(k for k, wanted in _ranges(batches, case.axis) if _same_ranges(got, wanted))
            if kind is None:
                return self.passed(criterion)
            symptom = {"last-batch": "The ranges are those of the last batch."}.get(
                kind, "The ranges contain 0, although 0 was not among the values."
            )
            return self.failed(criterion, kind, symptom)
        # With other axes it can still be seen whether anything was kept from the batches before the last.
        lowest = min(float(b.min()) for b in batches)
        if got["lo"].numel() and float(got["lo"].min()) == lowest:
            return self.passed(criterion)
        return self.failed(criterion, "last-batch", "The smallest value of all batches is in none of the ranges.")

    def _scales(self, case: Case, got: dict[str, "torch.Tensor"]) -> Finding:
        """The scales that belong to the answer's own ranges: a wrong range is told once."""
        import torch

        criterion, lo, hi, scales = "scales", got["lo"].double(), got["hi"].double(), got["scales"].double()
        largest = torch.maximum(-lo, hi)
        if scales.shape == lo.shape and _near(scales, (largest / HIGHEST).clamp(min=EPS)):
            return self.passed(criterion)
        known = {
            "no-smallest-scale": [largest / HIGHEST],
            "largest-of-all": [(largest.max() / HIGHEST).clamp(min=EPS), (largest.max() / HIGHEST).expand(lo.shape)],
            "one-limit": [
                (v / HIGHEST).clamp(min=m) for v in (hi, -lo, lo.abs(), hi.abs()) for m in (EPS, -float("inf"))
            ],
            "half-width": [
                (v / n).clamp(min=m) for v, n in ((largest, 127.5), (largest, 128), (largest, 254)) for m in (EPS, 0.0)
            ],
            "affine-scale": [((hi - lo) / n).clamp(min=m) for n in (254, 255) for m in (EPS, 0.0)],
            "eps-added": [largest / HIGHEST + EPS],
        }
        symptoms = {
            "no-smallest-scale": "A channel of zeros gets a scale that is smaller than the smallest allowed.",
            "largest-of-all": "There is only one scale.",
            "one-limit": "The scales look at one of the two limits only.",
            "half-width": "The scales are not the largest distance from 0 divided by 127.",
            "affine-scale": "The scales are those of an affine grid.",
            "eps-added": "The scales are a little too large, all by the same amount.",
        }
        right = (largest / HIGHEST).clamp(min=EPS)
        at = int((scales - right).abs().argmax()) if scales.shape == right.shape and scales.numel() else None
        detail = ""
        if at is not None and scales.dim() == 1:
            detail = f"channel {at}: yours {scales[at]:.6g}, wanted {right[at]:.6g}"
        for kind, values in known.items():
            if any(v.numel() in (1, scales.numel()) and _near(scales, v) for v in values):
                return self.failed(criterion, kind, symptoms[kind], detail=detail)
        return self.failed(criterion, None, "The scales do not belong to `lo` and `hi`.", detail=detail)


Ranges = tuple["torch.Tensor", "torch.Tensor"]


def _of_each(batches: list["torch.Tensor"], axis: int) -> list[Ranges]:
    """For each batch the ranges along an axis."""
    flat = [b.movedim(axis, 0).flatten(1) for b in batches]
    return [(f.amin(1), f.amax(1)) for f in flat]


def _variants(ranges: list[Ranges]) -> Iterator[tuple[str | None, Ranges]]:
    """The right ranges of all batches (None), and those that come out by a mistake."""
    import torch

    lo, hi = (torch.stack(part) for part in zip(*ranges, strict=True))
    yield None, (lo.amin(0), hi.amax(0))
    yield "last-batch", ranges[-1]
    yield "starts-at-zero", (lo.amin(0).clamp(max=0), hi.amax(0).clamp(min=0))


def _ranges(batches: list["torch.Tensor"], axis: int) -> Iterator[tuple[str | None, Ranges]]:
    return _variants(_of_each(batches, axis))


def _same_ranges(got: dict[str, "torch.Tensor"], wanted: Ranges) -> bool:
    return all(
        got[name].shape == w.shape and bool((got[name] == w).all())
        for name, w in zip(("lo", "hi"), wanted, strict=True)
    )


def _near(a: "torch.Tensor", b: "torch.Tensor") -> bool:
    """Equal as far as float32 tells."""
    return a.numel() > 0 and bool(((a - b).abs() <= 1e-5 * b.abs() + 1e-12).all())


def _batches(case: Case) -> list["torch.Tensor"]:
    """Data whose channels differ along every axis; some channels lie to one side of 0; the widest batch is not the last."""
    import torch

    generator = torch.Generator().manual_seed(case.seed)
    found = []
    for i in range(case.batches):
        x = torch.randn(case.shape, generator=generator)
        for axis, size in enumerate(case.shape):
            shape = [1] * len(case.shape)
            shape[axis] = size
            x = x * torch.arange(1, size + 1).reshape(shape)
        first = x.select(case.axis, 0)
        first.abs_().add_(0.5)  # a channel above 0, and one below it
        x.select(case.axis, 1).abs_().add_(0.25).neg_()
        if "zero_channel" in case:
            x.select(case.axis, case.zero_channel).zero_()
        found.append(x * (0.5 if i == case.batches - 1 and i else 1.0))
    return found
