"""From a range to the scale and zero point of an affine int8 grid."""

import math
import random
from collections.abc import Iterator
from typing import Any

from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import NUMBER, Evidence, Recorder

EPS = 2**-12
"""The smallest scale, as the quantizer of this lesson has it."""
LOWEST, HIGHEST = -128, 127


class QParamsFromRange(Exercise):
    """qparams_from_range(lo, hi): return scale and zero point of the int8 grid (-128…127) for a range."""

    id = "m01_1.qparams_from_range"
    kind = "core"
    minutes = 15
    criteria = {"scale": 2, "zero point": 1, "smallest scale": 1}
    must_return = True
    parameters = ("lo", "hi")
    not_allowed = (
        "calculate_qparams",
        "MinMaxObserver",
        "HistogramObserver",
        "MovingAverageMinMaxObserver",
        "PerChannelMinMaxObserver",
        "choose_qparams",
        "choose_qparams_symmetric",
        "choose_qparams_affine",
        "choose_qparams_affine_with_min_max",
        "determine_qparams",
    )
    hints = (
        "Begin with the picture of the grid in the overview: 256 points, and one of them is exactly 0.0.",
        "Three steps: widen the range so that it contains 0; scale = width of the range / number of steps; choose the "
        "zero point so that `lo` falls on -128.",
        "256 points have 255 steps between them. From `lo = scale * (-128 - zero_point)` follows the zero point, which "
        "is rounded. Before that, the scale is made at least 2⁻¹².",
    )
    misconceptions = {
        "no-zero": "0.0 must be a point of the grid, because padding and relu produce it all the time. So a range that "
        "does not contain 0 is widened until it does.",
        "256": "256 points have 255 steps between them, as ten fence posts have nine gaps.",
        "symmetric": "An affine grid follows the range, also when it lies to one side of 0. With zero point 0 and the "
        "larger of the two limits, a part of the 256 points is never used.",
        "unsigned": "This is the zero point for integers 0…255. In int8 the smallest integer is -128, and everything moves "
        "down by 128.",
        "wrong-sign": "`lo` is negative or 0 and has to fall on -128. Put it into `scale * (q - zero_point)` and look at "
        "the sign.",
        "not-rounded": "The zero point is one of the integers of the grid. It has to be rounded, and be an integer.",
        "truncated": "Rounding goes to the nearest integer. Cutting off the digits (`int(...)`, `//`) goes up to a whole "
        "step too far.",
        "outside": "The zero point is stored in int8 as well. Outside of -128…127 there is no integer that stands for 0.0.",
        "swapped": "The pair is (scale, zero point), in this order.",
        "array-for-a-pair": "An array or a tensor holds numbers of one type, so the zero point becomes a float in it. A pair is "
        "`(scale, zero_point)`, or `return scale, zero_point`.",
        "no-smallest-scale": "A tensor that is almost zero everywhere would get a scale of (almost) 0, and one divides by "
        "the scale. Observers have a smallest scale for that, here 2⁻¹².",
    }
    public_cases = (
        Case(ranges=[[-1.0, 1.0], [-0.5, 2.0], [0.0, 6.0]]),
        Case(ranges=[[-1.0, 1.0], [0.2, 3.0], [-6.0, -2.0]]),
        Case(ranges=[[-1.0, 1.0], [-1.3, 2.2], [-0.03, 0.01]]),
        Case(ranges=[[-1.0, 1.0], [-2.0, 0.0], [0.0, 2.0], [-0.00001, 0.00002], [0.0, 0.0]]),
    )
    facts = {
        "answers": {
            "type": "array",
            "maxItems": 100,
            "items": {
                "type": "object",
                "required": ["pair"],
                "properties": {
                    "pair": {"type": "boolean"},
                    "type": {"type": "string"},
                    "scale": NUMBER,
                    "zero_point": NUMBER,
                },
            },
        }
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        answers: list[dict[str, Any]] = []
        ev.fact("answers", answers)
        for lo, hi in _ranges(case):
            returned = ev.call(answer, lo, hi)
            pair = isinstance(returned, (tuple, list)) and len(returned) == 2
            entry: dict[str, Any] = {"pair": pair, "type": type(returned).__name__[:100]}
            if pair:
                with ev.student("scale and zero point were read as numbers"):
                    entry |= {"scale": float(returned[0]), "zero_point": float(returned[1])}
            answers.append(entry)
            ev.fact("answers", answers)

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        # Other ranges come first, such as [-2, 0] and [0, 2]: who divides by zero only at [0, 0] has a scale of 0.
        done = len(evidence.facts["answers"])
        exception, ranges = evidence.exception or {}, _ranges(case)
        flat = 3 < done < len(ranges) and ranges[done] == (0.0, 0.0)
        nothing = exception.get("type") == "ZeroDivisionError" or (
            exception.get("type") in ("ValueError", "OverflowError")
            and any(f"cannot convert float {what} to integer" in exception["message"] for what in ("NaN", "infinity"))
        )
        if flat and nothing and not exception.get("during"):
            yield self.failed("smallest scale", "no-smallest-scale", "For a range of width 0 the function raises.")
            yield from self._compare(case, evidence)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        if not all(a["pair"] for a in evidence.facts["answers"]):
            kinds = {str(a.get("type", "?")) for a in evidence.facts["answers"] if not a["pair"]}
            symptom, detail = (
                "The function does not return a pair (scale, zero point).",
                f"yours: {', '.join(sorted(kinds))}",
            )
            kind = "array-for-a-pair" if kinds <= {"ndarray", "Tensor"} else "form"
            yield Finding(None, False, kind, symptom, self.misconceptions.get(kind, ""), detail)
            return
        if len(evidence.facts["answers"]) != len(_ranges(case)):
            yield Finding(None, False, None, "Not every range was tried.")
            return
        pairs = zip(_ranges(case), evidence.facts["answers"], strict=True)
        if all(
            _near(said["zero_point"], _scale(lo, hi)) and _good_zero_point(lo, _scale(lo, hi), said["scale"])
            for (lo, hi), said in pairs
        ):
            for criterion in self.criteria:
                yield self.failed(criterion, "swapped", "The zero point comes first, and the scale second.")
            return
        yield from self._compare(case, evidence)

    def _compare(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        failed: dict[str, Finding] = {}
        pairs = list(zip(_ranges(case), evidence.facts["answers"], strict=False))
        always_zero = all(said["zero_point"] == 0 for _range, said in pairs)
        for (lo, hi), said in pairs:
            scale, zero_point = said["scale"], said["zero_point"]
            shown = f"range [{lo:g}, {hi:g}]: yours ({scale:.6g}, {zero_point:g}), wanted ({_scale(lo, hi):.6g}, {_zero(lo, hi)})"
            criterion = "smallest scale" if _width(lo, hi) / 255 < EPS else "scale"
            if not _near(scale, _scale(lo, hi)):
                kind, symptom = _wrong_scale(lo, hi, scale)
                finding = self.failed(criterion, kind, symptom, detail=shown)
                if failed.setdefault(criterion, finding).misconception is None and kind:
                    failed[criterion] = finding  # of several ranges keep the one that says why
            # A wrong scale is told once: the zero point may fit the answer's own scale.
            if not any(_good_zero_point(lo, s, zero_point) for s in (_scale(lo, hi), scale)):
                kind, symptom = _wrong_zero_point(lo, hi, scale, zero_point)
                if always_zero:
                    kind, symptom = "symmetric", "The zero point is 0 whatever the range."
                finding = self.failed("zero point", kind, symptom, detail=shown)
                known = failed.setdefault("zero point", finding).misconception
                if kind and (known is None or kind != "truncated"):
                    failed["zero point"] = finding
        for criterion in self.criteria:
            yield failed.get(criterion, self.passed(criterion))


def _ranges(case: Case) -> list[tuple[float, float]]:
    """The ranges of a case: as listed, or drawn with its seed around 0, above it or below it."""
    if "ranges" in case:
        return [(float(lo), float(hi)) for lo, hi in case["ranges"]]
    rng = random.Random(case.seed)
    found = [(-1.0, 1.0)]
    for _ in range(case.n):
        a, b = rng.uniform(0.05, 1), rng.uniform(1.1, 9)
        lo, hi = {"around": (-a, b), "above": (a, b), "below": (-b, -a), "left": (-b, a)}[case.where]
        found.append((lo * case.size, hi * case.size))
    return found


def _width(lo: float, hi: float) -> float:
    return max(hi, 0.0) - min(lo, 0.0)


def _scale(lo: float, hi: float) -> float:
    return max(_width(lo, hi) / (HIGHEST - LOWEST), EPS)


def _zero(lo: float, hi: float) -> int:
    return min(max(round(LOWEST - min(lo, 0.0) / _scale(lo, hi)), LOWEST), HIGHEST)


def _near(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-5, abs_tol=1e-12)


def _good_zero_point(lo: float, scale: float, zero_point: float) -> bool:
    """An integer of the grid, as near to the exact value as any other is; at a tie both neighbours are right."""
    if not (math.isfinite(zero_point) and zero_point == round(zero_point) and scale > 0):
        return False
    exact = min(max(LOWEST - min(lo, 0.0) / scale, LOWEST), HIGHEST)
    return LOWEST <= zero_point <= HIGHEST and abs(zero_point - exact) <= 0.5 + 1e-3


def _wrong_scale(lo: float, hi: float, scale: float) -> tuple[str | None, str]:
    width, largest = _width(lo, hi), max(abs(lo), abs(hi))
    one_sided = lo > 0 or hi < 0
    if width / 255 < EPS:
        if not scale > 0 or scale < EPS / 2 or _near(scale, width / 256):
            return (
                "no-smallest-scale",
                "For a tensor that is almost zero, the scale is smaller than the smallest allowed.",
            )
        return None, "For a tensor that is almost zero, the scale is not the smallest allowed."
    if one_sided and any(_near(scale, (hi - lo) / steps) for steps in (255, 256)):
        return "no-zero", "The scale is that of a range which does not contain 0."
    if _near(scale, width / 256):
        return "256", "The scale is a little too small."
    if any(_near(scale, largest / half) for half in (127, 127.5, 128)):
        return "symmetric", "The scale depends on the larger of the two limits only."
    return None, "The scale is not that of the range."


def _wrong_zero_point(lo: float, hi: float, scale: float, zero_point: float) -> tuple[str | None, str]:
    exact = LOWEST - min(lo, 0.0) / _scale(lo, hi)
    if not math.isfinite(zero_point):
        return None, "The zero point is not a finite number."
    if zero_point != round(zero_point):
        return "not-rounded", "The zero point is not an integer."
    if _width(lo, hi) / 255 < EPS and _near(scale, EPS):
        return None, "The zero point was not computed from the scale that is returned."
    if (lo > 0 or hi < 0) and scale > 0 and not _near(scale, _scale(lo, hi)):
        # The zero point of the range as it was given: far outside, or cut off at the end of the grid.
        if abs(zero_point - (LOWEST - lo / scale)) <= 1 and not LOWEST <= zero_point <= HIGHEST:
            return "outside", "The zero point lies outside of -128…127."
        return None, "The zero point does not belong to this range."
    if abs(zero_point - (exact + 128)) <= 0.51:
        return "unsigned", "The zero point is too large by 128."
    if abs(zero_point - (2 * LOWEST - exact)) <= 0.51:
        return "wrong-sign", "The zero point lies on the wrong side of -128."
    if not LOWEST <= zero_point <= HIGHEST:
        return "outside", "The zero point lies outside of -128…127."
    if abs(zero_point - exact) < 1:
        return "truncated", "The zero point is not the nearest integer."
    return None, "The zero point does not belong to this range."
