"""The range whose grid has the smallest squared error."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import NUMBER, TENSOR, Evidence, Recorder

if TYPE_CHECKING:
    import torch

WITHIN = 1.1
"""How many times the smallest error an answer may have: a search in steps of a few percent of the range is fine enough."""

Range = tuple[float, float]


class MseRange(Exercise):
    """mse_range(x, bits): the range (lo, hi) whose affine grid with 2**bits integers has the smallest squared error."""

    id = "m05_2.mse_range"
    kind = "practice"
    minutes = 20
    criteria = {"near the smallest error": 3, "x left alone": 1}
    must_return = True
    parameters = ("x", "bits")
    not_allowed = ("HistogramObserver", "minimize", "minimize_scalar")
    hints = (
        "Try many ranges, and keep the best. They all lie inside of `x.min()` and `x.max()`.",
        "Two loops: one over shares of the lower end, one over shares of the upper end, for example 5 %, 10 %, … 100 %. "
        "`error_of(x, lo, hi, bits)` gives the error of each pair.",
        "`min(((error_of(x, a * lo, b * hi, bits), a * lo, b * hi) for a in shares for b in shares))` is the smallest error "
        "with its range.",
    )
    misconceptions = {
        "min-max": "The range from the smallest to the largest value clips nothing, and so its steps are large. With few bits "
        "it pays to clip a little.",
        "narrowest-wins": "The error of the values outside of the range counts as well. Whoever looks at the steps, or at the "
        "values inside only, finds the narrowest range best.",
        "one-factor": "The two ends are not alike: one can be short and full of values, the other long and nearly empty. "
        "Search for each of them.",
        "one-end": "Values far outside can lie at either end. Search for both.",
        "one-after-the-other": "Both ends together decide about the step, so the best place of one end depends on where the "
        "other one is. Whoever moves one end at a time has to go on until nothing changes, and even then can be stuck where neither end "
        "alone can be improved. Try pairs, or begin at several places.",
        "symmetric": "The range need not be symmetric: where one side holds few values, or small ones, it needs less room.",
        "too-coarse": "A few shares are too few: the best range lies between them. Take steps of a few percent.",
        "absolute-error": "The sum of |error| punishes the large errors of clipped values less than the sum of squares does, so "
        "its best range is narrower. SQNR is about squares.",
        "always-8-bits": "How much to clip depends on the number of integers: the fewer there are, the more a narrow range "
        "gains. The error has to be measured on the grid with 2**bits integers.",
        "fixed-share": "How many values to leave out depends on the data and on the bits. A fixed percentile does not know "
        "them.",
        "scale-and-zero-point": "The result is the range (lo, hi); scale and zero point follow from it.",
        "wrong-way-round": "The lower end comes first.",
        "changes-x": "x belongs to the caller, and is not to be changed.",
        "form": "The result is a pair of two numbers, (lo, hi).",
    }
    public_cases = (
        Case(kind="normal", bits=3),
        Case(kind="skewed", bits=4, seed=1),
        Case(kind="outlier", bits=8, seed=2),
        Case(kind="outlier", bits=3, seed=3),
        Case(kind="low", bits=4, seed=12),
    )
    facts = {
        "range": {"type": "array", "items": NUMBER, "maxItems": 2},
        "form": {"type": "string", "maxLength": 100},
        "x_after": TENSOR,
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        x = values(case.kind, case.seed)
        returned = ev.call(answer, x, case.bits)
        ev.tensor("x_after", x)
        if isinstance(returned, (str, bytes, dict)) or not hasattr(returned, "__len__") or len(returned) != 2:
            ev.fact("form", type(returned).__name__[:60])
            return
        with ev.student("the range was read as two numbers"):
            ev.fact("range", [float(v) for v in returned])

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        import torch

        x = values(case.kind, case.seed)
        if torch.equal(evidence.tensor("x_after"), x):
            yield self.passed("x left alone")
        else:
            yield self.failed("x left alone", "changes-x", "The caller's x holds other values afterwards.")
        criterion = "near the smallest error"
        if evidence.has("form"):
            yield self.failed(criterion, "form", "The result is not a pair of two numbers.")
            return
        lo, hi = (float(v) for v in evidence.facts["range"])
        if not (abs(lo) < 1e9 and abs(hi) < 1e9):
            yield self.failed(criterion, "form", "The result does not hold two finite numbers.")
            return
        smallest, best = _best(case.kind, case.seed, case.bits, "squared")
        error = squared_error(x, lo, hi, case.bits) if lo < hi else float("inf")
        if error <= WITHIN * smallest:
            yield self.passed(criterion)
            return
        detail = f"yours {lo:.4f} to {hi:.4f}; for example {best[0]:.4f} to {best[1]:.4f} has a smaller error"
        if error < float("inf"):
            detail += f" ({error / smallest:.2f} times smaller)"
        kind, symptom = self._why(case, x, lo, hi, best)
        yield self.failed(criterion, kind, symptom, detail=detail)

    def _why(self, case: Case, x: "torch.Tensor", lo: float, hi: float, best: Range) -> tuple[str | None, str]:
        least, most = float(x.min()), float(x.max())
        width, slack = best[1] - best[0], 0.005 * (most - least)
        whole_lo, whole_hi = abs(lo - least) < slack, abs(hi - most) < slack
        if 0 < lo < width / 2 and hi == round(hi) and 0 <= hi < 2**case.bits:
            symptom = "The second number is an integer of the grid, so this looks like a zero point."
            return "scale-and-zero-point", symptom
        if lo > hi:
            return "wrong-way-round", "The first number is larger than the second."
        if hi - lo < 0.3 * width:
            return "narrowest-wins", "The range is far too narrow: nearly everything is clipped."
        if whole_lo and whole_hi:
            return "min-max", "The range is that from the smallest to the largest value."
        if any(_like((lo, hi), _coarse(case.kind, case.seed, case.bits, n), width, 0.001) for n in (4, 5, 8, 10)):
            return "too-coarse", "The range is the best one of a few, and one between them is far better."
        shares = (0.01, 0.001, 0.0005, 0.005, 0.05, 0.02, 0.1)
        if any(_like((lo, hi), _quantiles(x, share), width, 0.01) for share in shares):
            return "fixed-share", "A fixed share of the values is left out, and another range is far better."
        for objective, kind in (("absolute", "absolute-error"), ("8 bits", "always-8-bits")):
            if _like((lo, hi), _best(case.kind, case.seed, case.bits, objective)[1], width):
                return kind, "The range is the best one by another measure."
        if whole_lo or whole_hi:
            return "one-end", "One end of the range is that of the values, and with another one the error is smaller."
        if least < 0 < most and abs(lo / least - hi / most) < 0.02:
            return (
                "one-factor",
                "Both ends are shortened by the same factor, and a better range has two different ones.",
            )
        if abs(lo + hi) < 0.02 * width:
            return (
                "symmetric",
                "The range reaches as far to the one side as to the other, and another one is far better.",
            )
        if least < lo < hi < most and self._fits(case, x, lo, hi):
            symptom = "The one end is the best for the other, and another pair of ends is far better."
            return "one-after-the-other", symptom
        return None, "There is a range with a clearly smaller squared error."

    def _fits(self, case: Case, x: "torch.Tensor", lo: float, hi: float) -> bool:
        """Whether the error does not become clearly smaller as long as the one end stays."""
        error, shares = squared_error(x, lo, hi, case.bits), [i / 100 for i in range(1, 101)]
        lows = min(squared_error(x, f * float(x.min()), hi, case.bits) for f in shares)
        highs = min(squared_error(x, lo, f * float(x.max()), case.bits) for f in shares)
        return max(lows, highs) > 0.98 * error


def values(kind: str, seed: int) -> "torch.Tensor":
    """3000 values: normal; skewed (a short lower and a long upper end); outlier (normal, and one value far outside);
    flat (equally likely everywhere); low (skewed to the other side); relu."""
    import torch

    generator = torch.Generator().manual_seed(seed + 3)
    x = torch.randn(3000, generator=generator)
    if kind in ("skewed", "low"):
        x = torch.where(x > 0, 0.9 * x.abs() ** 2.2, 0.5 * torch.tanh(x))
        x = -x if kind == "low" else x
    elif kind == "outlier":
        x[17] = 15.0
    elif kind == "flat":
        x = 3 * torch.rand(3000, generator=generator) - 1
    elif kind == "relu":
        x = x.relu()
    return x


def squared_error(x: "torch.Tensor", lo: float, hi: float, bits: int) -> float:
    """Sum of squares of what the affine grid with 2**bits integers loses, for the range from lo to hi."""
    return float((x - _back(x, lo, hi, bits)).double().square().sum())


def _absolute_error(x: "torch.Tensor", lo: float, hi: float, bits: int) -> float:
    return float((x - _back(x, lo, hi, bits)).double().abs().sum())


def _back(x: "torch.Tensor", lo: float, hi: float, bits: int) -> "torch.Tensor":
    lo, hi, top = min(lo, 0.0), max(hi, 0.0), 2**bits - 1
    scale = max((hi - lo) / top, 1e-6)
    zero_point = round(-lo / scale)
    q = ((x / scale).round() + zero_point).clamp(0, top)
    return (q - zero_point) * scale


@lru_cache(maxsize=64)
def _best(kind: str, seed: int, bits: int, objective: str) -> tuple[float, Range]:
    """The smallest error and its range, by a coarse search and a fine one around its result."""
    x = values(kind, seed)
    error: Callable[..., float] = _absolute_error if objective == "absolute" else squared_error
    n = 8 if objective == "8 bits" else bits
    least, most = min(float(x.min()), 0.0), max(float(x.max()), 0.0)
    coarse = [i / 25 for i in range(1, 26)]
    lows = coarse if least < 0 else [0.0]
    highs = coarse if most > 0 else [0.0]
    found = min((error(x, a * least, b * most, n), a, b) for a in lows for b in highs)
    _error, a, b = found
    fine = [i / 200 for i in range(-8, 9)]
    near = min(
        (error(x, (a + i) * least, (b + j) * most, n), a + i, b + j)
        for i in (fine if least < 0 else [0.0])
        for j in (fine if most > 0 else [0.0])
        if 0 <= a + i <= 1 and 0 <= b + j <= 1 and a + b + i + j > 0
    )
    smallest, a, b = min(found, near)
    return smallest, (a * least, b * most)


@lru_cache(maxsize=64)
def _coarse(kind: str, seed: int, bits: int, n: int) -> Range:
    """The best range out of n shares of either end."""
    x, shares = values(kind, seed), [i / n for i in range(1, n + 1)]
    pairs = [(a * float(x.min()), b * float(x.max())) for a in shares for b in shares]
    return min((r for r in pairs if r[0] < r[1]), key=lambda r: squared_error(x, *r, bits))


def _quantiles(x: "torch.Tensor", share: float) -> Range:
    import torch

    lo, hi = torch.quantile(x, torch.tensor([share / 2, 1 - share / 2])).tolist()
    return lo, hi


def _like(got: Range, other: Range, width: float, near: float = 0.03) -> bool:
    return all(abs(a - b) < near * width for a, b in zip(got, other, strict=True))
