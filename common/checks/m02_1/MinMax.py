"""An observer: a module that keeps the smallest and the largest value that it has seen."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import NUMBER, TENSOR, Evidence, Recorder

if TYPE_CHECKING:
    import torch


class MinMax(Exercise):
    """MinMax(): a module that keeps the smallest and largest value of all that flows through, and passes it on."""

    id = "m02_1.MinMax"
    kind = "practice"
    minutes = 15
    criteria = {"range": 2, "x passed on": 1, "no gradient kept": 1}
    parameters = ()
    not_allowed = (
        "MinMaxObserver",
        "MovingAverageMinMaxObserver",
        "HistogramObserver",
        "PerChannelMinMaxObserver",
        "ObserverBase",
    )
    hints = (
        "`__init__` sets the two limits to something that any value will replace; `forward` updates them, and returns x.",
        "Which value is smaller than no other value? `float('inf')` is a good start for `lo`, and `-float('inf')` for `hi`.",
        "What you keep must not hang on the gradient: take the minimum of `x.detach()`. What you return must: return `x` "
        "itself.",
    )
    misconceptions = {
        "last-batch": "An observer sees many batches, and its range has to hold all of them. What one batch gives is to be "
        "combined with what was known before.",
        "first-batch": "The range is not known after the first batch. Each further one may widen it.",
        "starts-at-zero": "With 0 as the start, 0 counts as a value that was seen. (Whether the range has to contain 0 is "
        "decided later, when qparams are computed from it.)",
        "average": "An average of minima is not the minimum: values that were seen lie outside of it. (There is an observer "
        "that does this on purpose, MovingAverageMinMaxObserver. It is another one.)",
        "shared": "A variable of the *class* belongs to all of its objects. Each observer needs limits of its own: set them "
        "in `__init__`, on `self`.",
        "changes-x": "An observer only looks. The ops behind it have to get the very values that came in.",
        "cuts-gradient": "The net may be in training. What the observer passes on has to be x with its gradient, or nothing in "
        "front of the observer learns any more. Detach what you keep, not what you return.",
        "keeps-gradient": "A minimum that was taken of x hangs on the whole computation of x. Kept from batch to batch, it "
        "holds all that memory, and the module cannot be copied. `detach()` it.",
        "training-only": "A net that is calibrated is in eval mode. An observer watches whatever flows through, whether "
        "`self.training` is set or not.",
        "made-symmetric": "`lo` and `hi` are the values that were seen. Whether a grid reaches equally far to both sides is "
        "decided later, by the scheme.",
        "one-limit-at-a-time": "One batch can widen the range on both sides. With `elif`, the second limit is looked at only "
        "when the first one has not moved.",
        "trained": "A Parameter is changed by an optimizer, and requires a gradient. What an observer remembers is a plain "
        "attribute or a buffer.",
        "other-names": "Whoever reads the range asks for `observer.lo` and `observer.hi`.",
        "no-super-init": "`nn.Module` sets up its own attributes in its `__init__`. `super().__init__()` has to stand at the "
        "top of yours.",
        "not-one-number": "`lo` and `hi` are one number each for the whole tensor: `x.min()`, without `dim=`.",
        "not-a-module": "Only an `nn.Module` can be put into a graph. Derive the class from it, and write `forward`.",
        "forward-returns-nothing": "The next op reads what `forward` returns. Without `return x` it gets None.",
    }
    public_cases = (
        Case(batches=[[-1.0, 0.5], [-3.0, 2.0], [-0.5, 4.0], [-1.0, 1.0]]),
        Case(batches=[[0.5, 6.0], [0.25, 2.0]]),
        Case(batches=[[-6.0, -0.25], [-2.0, -1.0]]),
    )
    facts = {
        "is_module": {"type": "boolean"},
        "ranges": {"type": "array", "maxItems": 20, "items": {"type": "array", "items": NUMBER, "maxItems": 2}},
        "fresh_range": {"type": "array", "items": NUMBER, "maxItems": 2},
        "none_returned": {"type": "boolean"},
        "x_after": TENSOR,
        "output": TENSOR,
        "output_has_gradient": {"type": "boolean"},
        "gradient": TENSOR,
        "limit_has_gradient": {"type": "boolean"},
        "limit_is_parameter": {"type": "boolean"},
        "eval_range": {"type": "array", "items": NUMBER, "maxItems": 2},
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        import torch
        from torch import nn

        observer, other = ev.call(answer), ev.call(answer)
        ev.fact("is_module", isinstance(observer, nn.Module))
        ranges = []
        for i, batch in enumerate(_batches(case)):
            x = batch.clone()
            with ev.student("the observer was shown a batch"):
                output = observer(x)
                ranges.append([float(observer.lo), float(observer.hi)])
            ev.fact("ranges", ranges)
            if i == 0:
                ev.fact("none_returned", output is None)
                ev.tensor("x_after", x)
                ev.tensor("output", output)
        small = _small(case)
        with ev.student("a second observer was shown one batch"):
            other(small.clone())
            ev.fact("fresh_range", [float(other.lo), float(other.hi)])
        with ev.student("the observer was shown a tensor with a gradient"):
            leaf = small.clone().requires_grad_()
            output = observer(2 * leaf)
            has = isinstance(output, torch.Tensor) and output.requires_grad
            ev.fact("output_has_gradient", has)
            if has:
                ev.tensor("gradient", torch.autograd.grad(output.sum(), leaf)[0])
            limits = [v for v in (observer.lo, observer.hi) if isinstance(v, torch.Tensor)]
            ev.fact("limit_has_gradient", any(v.requires_grad for v in limits))
            ev.fact("limit_is_parameter", any(isinstance(v, nn.Parameter) for v in limits))
        if not isinstance(observer, nn.Module):
            return
        calm = ev.call(answer)
        with ev.student("an observer in eval mode was shown one batch"):
            calm.eval()
            calm(small.clone())
            ev.fact("eval_range", [float(v) for v in (calm.lo, calm.hi) if v is not None])

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        message = (evidence.exception or {}).get("message", "")
        if "has no attribute 'lo'" in message or "has no attribute 'hi'" in message:
            yield self.failed("range", "other-names", "The observer has no attribute `lo` or `hi`.")
        elif "has no attribute '_backward_hooks'" in message or "before Module.__init__() call" in message:
            yield self.failed("range", "no-super-init", "The class does not call `super().__init__()`.")
        elif "only one element tensors can be converted" in message or (
            "cannot be converted to Scalar" in message and (evidence.exception or {}).get("during")
        ):
            yield self.failed("range", "not-one-number", "`lo` or `hi` holds more than one number.")

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        if not evidence.facts["is_module"]:
            yield Finding(
                None, False, "not-a-module", "The class is not an nn.Module.", self.misconceptions["not-a-module"]
            )
            return
        yield self._range(case, evidence)
        yield self._passed_on(case, evidence)
        if evidence.facts["limit_has_gradient"] and evidence.facts["limit_is_parameter"]:
            yield self.failed("no gradient kept", "trained", "`lo` or `hi` is a Parameter, so it requires a gradient.")
        elif evidence.facts["limit_has_gradient"]:
            symptom = "`lo` or `hi` still hangs on the computation of x: it requires a gradient."
            yield self.failed("no gradient kept", "keeps-gradient", symptom)
        else:
            yield self.passed("no gradient kept")

    def _range(self, case: Case, evidence: Evidence) -> Finding:
        batches = _batches(case)
        seen = [[float(b.min()), float(b.max())] for b in batches]
        got, right = evidence.facts["ranges"], _running(seen)
        small = _small(case)
        alone = [float(small.min()), float(small.max())]
        if got == right and evidence.facts["fresh_range"] == alone:
            if evidence.facts["eval_range"] == alone:
                return self.passed("range")
            symptom = "In eval mode the observer does not take notice of what flows through."
            return self.failed("range", "training-only", symptom)
        if got == right and evidence.facts["fresh_range"] == [min(alone[0], 0.0), max(alone[1], 0.0)]:
            symptom = "The range contains 0, although 0 was not among the values."
            return self.failed("range", "starts-at-zero", symptom)
        if got == right:
            symptom = "A second observer has a range that it was never shown."
            return self.failed(
                "range", "shared" if evidence.facts["fresh_range"] == _running([*seen, alone])[-1] else None, symptom
            )
        at = next((i for i, (a, b) in enumerate(zip(got, right, strict=True)) if a != b), 0)
        detail = f"after batch {at + 1}: yours {got[at]}, wanted {right[at]}"
        known = {
            "starts-at-zero": [[min(lo, 0.0), max(hi, 0.0)] for lo, hi in right],
            "last-batch": seen,
            "first-batch": [seen[0]] * len(seen),
            "made-symmetric": [[-max(-lo, hi), max(-lo, hi)] for lo, hi in right],
            "one-limit-at-a-time": _one_at_a_time(seen),
        }
        symptoms = {
            "starts-at-zero": "The range contains 0, although 0 was not among the values.",
            "last-batch": "The range is that of the last batch.",
            "first-batch": "The range is that of the first batch.",
            "made-symmetric": "The range reaches equally far to both sides of 0, and the values do not.",
            "one-limit-at-a-time": "A batch that is wider on both sides widens the range on one side only.",
            "average": "The range is narrower than the values that were seen.",
        }
        kind = next((k for k, values in known.items() if got == values), None)
        if kind is None and _averaged(got, right):
            kind = "average"
        return self.failed(
            "range", kind, symptoms.get(kind or "", "The range is not that of the values seen."), detail=detail
        )

    def _passed_on(self, case: Case, evidence: Evidence) -> Finding:
        import torch

        criterion, x = "x passed on", _batches(case)[0]
        if evidence.facts["none_returned"]:
            return self.failed(criterion, "forward-returns-nothing", "`forward` returns nothing (None).")
        if not torch.equal(evidence.tensor("x_after"), x):
            return self.failed(criterion, "changes-x", "The caller's x holds other values afterwards.")
        if not evidence.has("output") or not torch.equal(evidence.tensor("output"), x):
            return self.failed(criterion, "changes-x", "`forward` does not return what came in.")
        ones = torch.full_like(_small(case), 2.0)
        if not evidence.facts["output_has_gradient"] or not torch.equal(evidence.tensor("gradient"), ones):
            symptom = "No gradient gets through the observer any more."
            return self.failed(criterion, "cuts-gradient", symptom)
        return self.passed(criterion)


def _running(seen: list[list[float]]) -> list[list[float]]:
    """The range after each batch."""
    return [[min(lo for lo, _ in seen[: i + 1]), max(hi for _, hi in seen[: i + 1])] for i in range(len(seen))]


def _one_at_a_time(seen: list[list[float]]) -> list[list[float]]:
    """The range after each batch, where only one limit moves at a time, the lower one first."""
    ranges = [list(seen[0])]
    for lo, hi in seen[1:]:
        old = ranges[-1]
        ranges.append([lo, old[1]] if lo < old[0] else [old[0], max(hi, old[1])])
    return ranges


def _averaged(got: list[list[float]], right: list[list[float]]) -> bool:
    """The first range is right, and later ones lie strictly inside of the values that were seen, and move."""
    inside = all(g[0] >= r[0] and g[1] <= r[1] for g, r in zip(got, right, strict=True))
    return inside and got[0] == right[0] and got[-1] not in (right[-1], got[0])


def _batches(case: Case) -> list["torch.Tensor"]:
    """Batches with the listed ranges, each of another shape; the values between the limits are drawn with the seed."""
    import torch

    generator = torch.Generator().manual_seed(case.seed)
    found = []
    for i, (lo, hi) in enumerate(case.batches):
        x = lo + (hi - lo) * torch.rand(2 + i, 3, 4, generator=generator)
        x[0, 0, 0], x[-1, -1, -1] = lo, hi
        found.append(x)
    return found


def _small(case: Case) -> "torch.Tensor":
    """Values inside of the range of every case, and narrower."""
    import torch

    lo, hi = case.batches[0]
    return torch.linspace(lo + 0.4 * (hi - lo), lo + 0.6 * (hi - lo), 6)
