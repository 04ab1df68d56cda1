"""An observer whose range leaves out a given share of the values, the outermost ones."""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import NUMBER, TENSOR, Evidence, Recorder

if TYPE_CHECKING:
    import torch

NEAR = 2e-3
"""Share of the range by which a limit may be off: a histogram with 1000 bins or more is good enough."""

Range = tuple[float, float]


class PercentileObserver(Exercise):
    """percentile_observer(p): a new observer whose range holds the middle p percent of all values it has seen."""

    id = "m05_2.percentile_observer"
    kind = "practice"
    minutes = 15
    criteria = {"range": 2, "values kept": 1, "x passed on": 1}
    must_return = True
    parameters = ("p",)
    not_allowed = ("HistogramObserver",)
    hints = (
        "A percentile of all values cannot be computed from the percentiles of the batches. Keep the values themselves; they "
        "are few here.",
        "(100 − p) percent are left out: one half of them at the lower end, the other half at the upper end.",
        "`torch.quantile(values, q)` takes q between 0 and 1. Put the batches together with "
        "`torch.cat([x.flatten() for x in self.seen])`, and make `lo` and `hi` properties, or compute them in `forward`.",
    )
    misconceptions = {
        "average": "An average of the percentiles of the batches is no percentile of all values: batches differ in size and "
        "in spread.",
        "extreme-of-percentiles": "The smallest and largest of the batches' percentiles are decided by one batch, the widest "
        "one. The percentile is that of all values together.",
        "last-batch": "The range is made of *all* values so far, and not only of those of the last batch.",
        "first-batch": "Each further batch counts too: the range has to be computed anew.",
        "both-tails-full": "With (100 − p) percent cut off at *each* end, twice as much is left out. Each end gives half.",
        "one-tail": "Large values can lie at either end. The share that is left out is divided between the two.",
        "absolute-values": "The percentile of |x| makes a range that reaches equally far to both sides. The values do not.",
        "percent": "p is in percent: 99.9 leaves out one value in a thousand. `torch.quantile` wants a share between 0 and 1.",
        "min-max": "The smallest and largest value are the range for p = 100 only.",
        "widened-to-zero": "`lo` and `hi` describe the values that were seen. Widening the range to 0 is done later, when scale "
        "and zero point are computed.",
        "shared": "Each call of `percentile_observer` makes an observer with a memory of its own. A list outside of it, or a "
        "list as a default value, is one and the same list for all.",
        "alias": "`detach()`, `flatten()` and `view` make no new tensor: what is kept is the memory of x, and an op behind the "
        "observer may write into it (as `relu_` does). Keep a copy: `clone()`, or something that `torch.cat` has made.",
        "changes-x": "An observer only looks. Clamping happens when the net is quantized; here the ops behind it need the "
        "values that came in.",
        "forward-returns-nothing": "The next op reads what `forward` returns. Without `return x` it gets None.",
        "method": "`observer.lo` is read without parentheses: set it in `forward`, as `self.lo = …`, or put `@property` above "
        "the method.",
        "not-one-number": "`lo` and `hi` are one number each for the whole tensor: flatten it first, and take no `dim=`.",
        "not-a-module": "Only an `nn.Module` can be put into a graph: return an object of a class that is derived from it.",
    }
    public_cases = (
        Case(p=98, spreads=[1.0, 4.0, 0.5]),
        Case(p=90, spreads=[2.0, 1.0, 1.0, 3.0], offset=5.0, seed=1),
        Case(p=100, spreads=[1.0, 2.0, 1.0], seed=2),
    )
    facts = {
        "is_module": {"type": "boolean"},
        "ranges": {"type": "array", "maxItems": 20, "items": {"type": "array", "items": NUMBER, "maxItems": 2}},
        "overwritten": {"type": "array", "items": NUMBER, "maxItems": 2},
        "other": {"type": "array", "items": NUMBER, "maxItems": 2},
        "none_returned": {"type": "boolean"},
        "x_after": TENSOR,
        "output": TENSOR,
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        from torch import nn

        observer, other = ev.call(answer, case.p), ev.call(answer, case.p)
        ev.fact("is_module", isinstance(observer, nn.Module))
        if not isinstance(observer, nn.Module):
            return
        watching: Any = observer
        batches, ranges = _batches(case), []
        for i, batch in enumerate(batches):
            x = batch.clone()
            with ev.student("the observer was shown a batch"):
                output = watching(x)
                ranges.append([float(watching.lo), float(watching.hi)])
            ev.fact("ranges", ranges)
            if i == 0:
                ev.fact("none_returned", output is None)
                ev.tensor("x_after", x)
                ev.tensor("output", output)
        third: Any = ev.call(answer, case.p)
        with ev.student("the tensors were written into after an observer had seen them"):
            for batch in batches:
                x = batch.clone()
                third(x)
                x.fill_(-1000.0)
            ev.fact("overwritten", [float(third.lo), float(third.hi)])
        with ev.student("a second observer was shown one batch"):
            other(batches[-1].clone())
            ev.fact("other", [float(other.lo), float(other.hi)])

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        message = (evidence.exception or {}).get("message", "")
        if "in the range [0, 1]" in message or "in the range [0, 100]" in message:
            yield self.failed("range", "percent", "A quantile was asked for with a share outside of its limits.")
        elif "only one element tensors can be converted" in message or "cannot be converted to Scalar" in message:
            yield self.failed("range", "not-one-number", "`lo` or `hi` holds more than one number.")

        elif "not 'method'" in message or "not 'function'" in message:
            yield self.failed("range", "method", "`lo` or `hi` is a method.")

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        if not evidence.facts["is_module"]:
            symptom = "What is returned is not an nn.Module."
            yield Finding(None, False, "not-a-module", symptom, self.misconceptions["not-a-module"])
            return
        yield self._range(case, evidence)
        ranges, overwritten = evidence.facts["ranges"], evidence.facts["overwritten"]
        width = abs(float(ranges[-1][1]) - float(ranges[-1][0]))
        if all(abs(float(a) - float(b)) <= NEAR * width for a, b in zip(ranges[-1], overwritten, strict=True)):
            yield self.passed("values kept")
        else:
            symptom = "The range is another one if something is written into x after the observer has seen it."
            yield self.failed("values kept", "alias", symptom)
        yield self._passed_on(case, evidence)

    def _range(self, case: Case, evidence: Evidence) -> Finding:
        criterion, batches = "range", _batches(case)
        got = [(float(lo), float(hi)) for lo, hi in evidence.facts["ranges"]]
        windows = [_window(_all(batches[: i + 1]), case.p) for i in range(len(batches))]
        good = [_inside(g, w) for g, w in zip(got, windows, strict=True)]
        if all(good):
            if _inside(tuple(evidence.facts["other"]), _window(batches[-1].flatten(), case.p)):
                return self.passed(criterion)
            symptom = "A second observer, which has seen one batch only, has another range than that batch gives."
            return self.failed(criterion, "shared", symptom)
        at = good.index(False)
        (lo, hi), p = _middle(windows[at]), case.p
        detail = f"after batch {at + 1}: yours {got[at][0]:.4f} to {got[at][1]:.4f}, wanted about {lo:.4f} to {hi:.4f}"
        known = _known(batches, p)
        kind = next((k for k, ranges in known.items() if _like(got, ranges)), None)
        symptoms = {
            "widened-to-zero": "The range contains 0, although the middle values do not.",
            "min-max": "Nothing is left out: the range holds all values.",
            "last-batch": "The range is that of the last batch.",
            "first-batch": "The range does not change after the first batch.",
            "both-tails-full": "Too many values are left out.",
            "one-tail": "Values are left out at one end only.",
        }
        symptom = symptoms.get(kind or "", "The range does not hold the middle p percent of all values so far.")
        return self.failed(criterion, kind, symptom, detail=detail)

    def _passed_on(self, case: Case, evidence: Evidence) -> Finding:
        import torch

        criterion, x = "x passed on", _batches(case)[0]
        if evidence.facts["none_returned"]:
            return self.failed(criterion, "forward-returns-nothing", "`forward` returns nothing (None).")
        if not torch.equal(evidence.tensor("x_after"), x):
            return self.failed(criterion, "changes-x", "The caller's x holds other values afterwards.")
        if not evidence.has("output") or not torch.equal(evidence.tensor("output"), x):
            return self.failed(criterion, "changes-x", "`forward` does not return what came in.")
        return self.passed(criterion)


def _batches(case: Case) -> "list[torch.Tensor]":
    """Batches that differ in size and in spread; longer at the upper end."""
    import torch

    generator = torch.Generator().manual_seed(case.seed + 5)
    found = []
    for i, spread in enumerate(case.spreads):
        x = torch.randn(3 + 2 * (i % 2), 4, 6, 9, generator=generator)
        found.append(spread * torch.where(x > 0, 1.6 * x, x) + case.get("offset", 0.0))
    return found


def _all(batches: "Sequence[torch.Tensor]") -> "torch.Tensor":
    import torch

    return torch.cat([b.flatten() for b in batches])


def _window(values: "torch.Tensor", p: float) -> tuple[Range, Range]:
    """Limits between which `lo`, and between which `hi`, may lie: definitions of a percentile differ by one value."""
    ordered, n = values.double().sort().values, values.numel()
    at = (100 - p) / 200 * (n - 1)
    first, last = max(math.floor(at) - 1, 0), min(math.ceil(at) + 1, n - 1)
    if p == 100:
        first = last = 0
    slack = NEAR * float(ordered[n - 1 - last] - ordered[last]) + 1e-6
    low = (float(ordered[first]) - slack, float(ordered[last]) + slack)
    high = (float(ordered[n - 1 - last]) - slack, float(ordered[n - 1 - first]) + slack)
    return low, high


def _inside(got: Sequence[float], window: tuple[Range, Range]) -> bool:
    return len(got) == 2 and all(a <= value <= b for value, (a, b) in zip(got, window, strict=True))


def _middle(window: tuple[Range, Range]) -> Range:
    (a, b), (c, d) = window
    return (a + b) / 2, (c + d) / 2


def _percentiles(values: "torch.Tensor", below: float, above: float) -> Range:
    """The range that leaves out these percentages at its two ends."""
    import torch

    shares = torch.tensor([below / 100, 1 - above / 100], dtype=torch.float64).clamp(0, 1)
    lo, hi = torch.quantile(values.double().flatten(), shares).tolist()
    return lo, hi


def _known(batches: "Sequence[torch.Tensor]", p: float) -> dict[str, list[Range]]:
    """The ranges after each batch that come out by a mistake."""
    out = 100 - p
    upto = [_all(batches[: i + 1]) for i in range(len(batches))]
    each = [_percentiles(b, out / 2, out / 2) for b in batches]
    right = [_percentiles(v, out / 2, out / 2) for v in upto]
    sizes = [each[: i + 1] for i in range(len(each))]
    absolute = [_percentiles(v.abs(), 0, out)[1] for v in upto]
    return {
        "min-max": [_percentiles(v, 0, 0) for v in upto],
        "widened-to-zero": [(min(lo, 0.0), max(hi, 0.0)) for lo, hi in right],
        "last-batch": each,
        "first-batch": [each[0]] * len(each),
        "average": [(sum(a for a, _ in s) / len(s), sum(b for _, b in s) / len(s)) for s in sizes],
        "extreme-of-percentiles": [(min(a for a, _ in s), max(b for _, b in s)) for s in sizes],
        "both-tails-full": [_percentiles(v, out, out) for v in upto],
        "one-tail": [_percentiles(v, 0, out) for v in upto],
        "absolute-values": [(-a, a) for a in absolute],
        "percent": [_percentiles(v, out / 200, 100 - p / 100) for v in upto],
    }


def _like(got: Sequence[Range], ranges: Sequence[Range]) -> bool:
    """Whether ranges agree to 2 % of their width (definitions of a percentile differ)."""
    width = max(hi - lo for lo, hi in ranges) or 1.0
    return len(got) == len(ranges) and all(
        abs(a - c) <= 0.02 * width and abs(b - d) <= 0.02 * width for (a, b), (c, d) in zip(got, ranges, strict=True)
    )
