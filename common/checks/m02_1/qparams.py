"""From a range to scale and zero point, for any range of integers and for both schemes."""

import math
import random
from collections.abc import Iterator
from typing import Any, NamedTuple

from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import NUMBER, Evidence, Recorder


class Try(NamedTuple):
    """One call of the answer; `eps` is the smallest scale."""

    lo: float
    hi: float
    quant_min: int
    quant_max: int
    scheme: str
    eps: float

    @property
    def steps(self) -> int:
        return self.quant_max - self.quant_min

    @property
    def width(self) -> float:
        return max(self.hi, 0.0) - min(self.lo, 0.0)

    @property
    def largest(self) -> float:
        return max(abs(self.lo), abs(self.hi))

    @property
    def wide(self) -> float:
        """The scale before it is made at least `eps`."""
        return self.largest / (self.steps / 2) if self.scheme == "symmetric" else self.width / self.steps

    @property
    def scale(self) -> float:
        return max(self.wide, self.eps)

    @property
    def is_tiny(self) -> bool:
        return self.wide < self.eps

    def exact_zero_point(self, scale: float) -> float:
        """The zero point of an affine grid before it is rounded."""
        return min(max(self.quant_min - min(self.lo, 0.0) / scale, self.quant_min), self.quant_max)


class QParams(Exercise):
    """qparams(lo, hi, quant_min, quant_max, scheme, eps): return scale and zero point for a range of values."""

    id = "m02_1.qparams"
    kind = "core"
    minutes = 20
    criteria = {"affine scale": 2, "affine zero point": 1, "symmetric": 2, "smallest scale": 1}
    must_return = True
    parameters = ("lo", "hi", "quant_min", "quant_max", "scheme", "eps")
    not_allowed = (
        "calculate_qparams",
        "MinMaxObserver",
        "HistogramObserver",
        "MovingAverageMinMaxObserver",
        "PerChannelMinMaxObserver",
        "FakeQuantize",
        "choose_qparams",
        "choose_qparams_symmetric",
        "choose_qparams_affine",
        "choose_qparams_affine_with_min_max",
        "determine_qparams",
    )
    hints = (
        "Do one scheme after the other. In both, write down which real value has to fall on which integer, and how many "
        "steps lie between two such points.",
        "First widen the range so that it contains 0. Affine: width / steps. Symmetric: the larger distance from 0, "
        "divided by half of the steps. The number of steps is `quant_max - quant_min`.",
        "Then `scale = max(scale, eps)`, and only then the zero point: 0 for symmetric; for affine "
        "`quant_min - round(lo / scale)`, kept between `quant_min` and `quant_max`.",
    )
    misconceptions = {
        "no-zero": "0.0 must be a point of the grid, because padding and relu produce it all the time. So a range that "
        "does not contain 0 is widened until it does.",
        "one-step-too-many": "From `quant_min` to `quant_max` there are `quant_max - quant_min` steps: one less than "
        "there are integers, as ten fence posts have nine gaps.",
        "hard-coded-range": "-128…127 is only one of the ranges in use. Weights often take -127…127, 4 bits have -8…7, "
        "and unsigned types begin at 0. The limits are parameters.",
        "half-width": "torchao divides the largest distance from 0 by half of the *steps*: by 127 for -127…127, and by "
        "127.5 for -128…127. With `quant_max`, or with 128, the grid is a little wider or narrower.",
        "one-limit": "A symmetric grid reaches equally far to both sides of 0. It has to reach the limit that is farther "
        "away, whichever of the two that is.",
        "ignores-scheme": "The two schemes have different formulas: affine fits the grid to the range, symmetric fits it to "
        "the largest distance from 0.",
        "zero-point-not-0": "Symmetric means that 0.0 is the integer 0. The zero point is 0 by definition, also for a range "
        "that is not symmetric itself.",
        "not-rounded": "The zero point is one of the integers of the grid. It has to be rounded.",
        "truncated": "Rounding goes to the nearest integer. Cutting off the digits (`int(...)`, `//`) is up to a whole step "
        "away.",
        "wrong-place": "`lo` has to fall on `quant_min`. Put the two into `lo = scale * (quant_min - zero_point)`, and solve "
        "for the zero point: mind the sign, and that it does not count from 0.",
        "outside": "The zero point is stored in the same integer type. Outside of `quant_min…quant_max` there is no "
        "integer that stands for 0.0.",
        "no-smallest-scale": "A tensor that is almost zero everywhere would get a scale of (almost) 0, and one divides by "
        "the scale. `eps` is the smallest scale allowed, in both schemes.",
        "swapped": "The pair is (scale, zero point), in this order.",
        "eps-added": "`eps` is the *smallest* scale: it takes the place of a smaller one, and is not added.",
        "all-steps": "A symmetric grid reaches equally far to both sides of 0. So only *half* of the steps lie between 0 and "
        "the largest distance.",
        "eps-too-late": "Scale and zero point belong together. A zero point that was computed from the scale before it was "
        "made larger does not fit the scale that is returned.",
    }
    public_cases = (
        Case(
            eps=2**-12,
            tries=[
                [-1.0, 1.0, -128, 127, "affine"],
                [-0.5, 2.0, -128, 127, "affine"],
                [-0.5, 2.0, -8, 7, "affine"],
                [-0.3, 1.0, -128, 127, "affine"],
                [-0.3, 1.01, -128, 127, "affine"],
            ],
        ),
        Case(
            eps=2**-12,
            tries=[[0.2, 3.0, -128, 127, "affine"], [-6.0, -2.0, 0, 255, "affine"], [-1.0, 3.0, -7, 7, "affine"]],
        ),
        Case(
            eps=2**-12,
            tries=[
                [-1.0, 1.0, -127, 127, "symmetric"],
                [-3.0, 2.0, -127, 127, "symmetric"],
                [-0.5, 2.0, -128, 127, "symmetric"],
                [-3.0, 2.0, -8, 7, "symmetric"],
            ],
        ),
        Case(
            eps=2**-12,
            tries=[
                [-1.0, 0.3, -7, 7, "symmetric"],
                [-1.0, 0.3, -7, 7, "affine"],
                [-0.0002, 0.0001, -127, 127, "symmetric"],
                [-0.0002, 0.0001, -127, 127, "affine"],
                [0.0, 0.0, -127, 127, "symmetric"],
                [0.0, 0.0, -127, 127, "affine"],
            ],
        ),
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
        for t in _tries(case):
            returned = ev.call(answer, *t)
            pair = isinstance(returned, (tuple, list)) and len(returned) == 2
            entry: dict[str, Any] = {"pair": pair, "type": type(returned).__name__[:100]}
            if pair:
                with ev.student("scale and zero point were read as numbers"):
                    entry |= {"scale": float(returned[0]), "zero_point": float(returned[1])}
            answers.append(entry)
            ev.fact("answers", answers)

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        # Other ranges come first in each scheme: who divides by zero only at [0, 0] has a scale of 0.
        done, tries = len(evidence.facts["answers"]), _tries(case)
        exception = evidence.exception or {}
        flat = 0 < done < len(tries) and tries[done][:2] == (0.0, 0.0)
        nothing = exception.get("type") == "ZeroDivisionError" or (
            exception.get("type") in ("ValueError", "OverflowError")
            and any(f"cannot convert float {what} to integer" in exception["message"] for what in ("NaN", "infinity"))
        )
        if flat and nothing and not exception.get("during"):
            yield self.failed("smallest scale", "no-smallest-scale", "For a range of width 0 the function raises.")
            yield from (f for f in self._compare(case, evidence) if f.criterion != "smallest scale" and not f.passed)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        if not all(a["pair"] for a in evidence.facts["answers"]):
            kinds = {str(a.get("type", "?")) for a in evidence.facts["answers"] if not a["pair"]}
            symptom, detail = (
                "The function does not return a pair (scale, zero point).",
                f"yours: {', '.join(sorted(kinds))}",
            )
            yield Finding(None, False, "form", symptom, "", detail)
            return
        if len(evidence.facts["answers"]) != len(_tries(case)):
            yield Finding(None, False, None, "Not every range was tried.")
            return
        if _are_swapped(_tries(case), evidence.facts["answers"]):
            symptom = "The zero point comes first, and the scale second."
            for criterion in self.criteria:
                yield self.failed(criterion, "swapped", symptom)
            return
        yield from self._compare(case, evidence)

    def _compare(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        wrong: dict[str, list[tuple[Try, dict[str, Any], list[str]]]] = {}
        for t, said in zip(_tries(case), evidence.facts["answers"], strict=False):
            if not said["pair"]:
                continue
            if not _near(said["scale"], t.scale):
                name = "smallest scale" if t.is_tiny else "symmetric" if t.scheme == "symmetric" else "affine scale"
                wrong.setdefault(name, []).append((t, said, _kinds_of_scale(t, said["scale"])))
            elif not _good_zero_point(t, t.scale, said["zero_point"]):
                name = "symmetric" if t.scheme == "symmetric" else "affine zero point"
                wrong.setdefault(name, []).append((t, said, _kinds_of_zero_point(t, t.scale, said["zero_point"])))
                continue
            # A wrong scale is told once: the zero point may fit the answer's own scale, or the right one.
            own = [s for s in (t.scale, said["scale"]) if math.isfinite(s) and s > 0]
            if t.scheme == "affine" and not any(_good_zero_point(t, s, said["zero_point"]) for s in own):
                kinds = [k for s in own for k in _kinds_of_zero_point(t, s, said["zero_point"])]
                if said["zero_point"] == 0 and "ignores-scheme" in _kinds_of_scale(t, said["scale"]):
                    kinds = ["ignores-scheme"]
                wrong.setdefault("affine zero point", []).append((t, said, kinds))
        for criterion in self.criteria:
            if criterion not in wrong:
                yield self.passed(criterion)
                continue
            kind, (t, said, _kinds) = _common_cause(wrong[criterion])
            symptom = _SYMPTOMS.get(kind or "", "Scale or zero point are not those of the range.")
            exact = 0 if t.scheme == "symmetric" else t.exact_zero_point(t.scale)
            detail = (
                f"range [{t.lo:g}, {t.hi:g}], {t.scheme}, integers {t.quant_min}…{t.quant_max}: yours "
                f"({said['scale']:.6g}, {said['zero_point']:g}), wanted ({t.scale:.6g}, {round(exact)})"
            )
            yield self.failed(criterion, kind, symptom, detail=detail)


_SYMPTOMS = {
    "no-zero": "The scale is that of a range which does not contain 0.",
    "one-step-too-many": "The scale is a little too small.",
    "hard-coded-range": "The integers are always taken from -128…127, whatever was asked for.",
    "half-width": "The symmetric scale is not the largest distance from 0 divided by half of the steps.",
    "eps-added": "The scale is a little too large, always by the same amount.",
    "all-steps": "The symmetric scale is half as large as it should be.",
    "one-limit": "The symmetric scale looks at one of the two limits only.",
    "ignores-scheme": "One scheme gets the scale of the other.",
    "zero-point-not-0": "In the symmetric scheme, the zero point is not 0.",
    "not-rounded": "The zero point is not an integer.",
    "truncated": "The zero point is not the nearest integer.",
    "wrong-place": "With this zero point, the lower end of the range does not fall on the smallest integer.",
    "outside": "The zero point is not one of the integers of the grid.",
    "no-smallest-scale": "For a tensor that is almost zero, the scale is smaller than the smallest allowed.",
    "eps-too-late": "For a tensor that is almost zero, the zero point does not belong to the scale.",
}


def _are_swapped(tries: list[Try], answers: list[dict[str, Any]]) -> bool:
    """All pairs are right, the other way round."""
    return all(
        _near(said["zero_point"], t.scale) and _good_zero_point(t, t.scale, said["scale"])
        for t, said in zip(tries, answers, strict=True)
    )


def _tries(case: Case) -> list[Try]:
    """The calls of a case: as listed, or drawn with its seed from both schemes and from ranges of every kind."""
    if "tries" in case:
        return [Try(float(lo), float(hi), a, b, scheme, case.eps) for lo, hi, a, b, scheme in case["tries"]]
    rng = random.Random(case.seed)
    found = []
    for i in range(case.n):
        a, b = rng.uniform(0.05, 1), rng.uniform(1.1, 9)
        lo, hi = ((-a, b), (a, b), (-b, -a), (-b, a))[i % 4]
        quant_min, quant_max = case.integers[i // 4 % len(case.integers)]
        found.append(Try(lo * case.size, hi * case.size, quant_min, quant_max, case.scheme, case.eps))
    return found


def _near(a: float, b: float) -> bool:
    """Equal as far as float32 tells: whoever computes in float64 is right too."""
    return math.isclose(a, b, rel_tol=1e-5, abs_tol=1e-12)


def _good_zero_point(t: Try, scale: float, zero_point: float) -> bool:
    """0, or for affine an integer of the grid as near to the exact value as any other; at a tie both are right."""
    if not math.isfinite(zero_point):
        return False
    if t.scheme == "symmetric":
        return zero_point == 0
    inside = zero_point == round(zero_point) and t.quant_min <= zero_point <= t.quant_max
    return inside and abs(zero_point - t.exact_zero_point(scale)) <= 0.5 + 1e-3


def _kinds_of_scale(t: Try, scale: float) -> list[str]:
    """Every known mistake that gives this scale."""
    if _near(scale, t.wide + t.eps):
        return ["eps-added"]
    if t.is_tiny:
        return ["no-smallest-scale"] if scale < t.eps and not _near(scale, t.eps) else []
    known: list[tuple[str, float]] = []
    if t.scheme == "affine":
        if t.lo > 0 or t.hi < 0:
            known += [("no-zero", (t.hi - t.lo) / n) for n in (t.steps, t.steps + 1)]
        known += [
            ("one-step-too-many", t.width / (t.steps + 1)),
            ("ignores-scheme", t.largest / (t.steps / 2)),
            *(("hard-coded-range", t.width / n) for n in (255, 256)),
        ]
    else:
        halves = {t.quant_max, -t.quant_min, t.quant_max + 1, t.quant_max - 1, (t.steps + 1) / 2} - {t.steps / 2}
        known += [("half-width", t.largest / h) for h in sorted(halves) if h > 0]
        known += [("all-steps", t.largest / t.steps)]
        known += [("one-limit", abs(limit) / (t.steps / 2)) for limit in (t.lo, t.hi)]
        known += [("ignores-scheme", t.width / t.steps), ("ignores-scheme", (t.hi - t.lo) / t.steps)]
        known += [("hard-coded-range", t.largest / h) for h in (127, 127.5, 128)]
    return list(dict.fromkeys(kind for kind, value in known if _near(scale, value)))


def _kinds_of_zero_point(t: Try, scale: float, zero_point: float) -> list[str]:
    """Every known mistake that gives this zero point with this scale."""
    if t.scheme == "symmetric":
        return ["zero-point-not-0"]
    lo, exact = min(t.lo, 0.0), t.exact_zero_point(scale)
    if not math.isfinite(zero_point):
        return []
    if zero_point != round(zero_point):
        return ["not-rounded"]
    if t.is_tiny and t.wide > 0 and abs(zero_point - t.exact_zero_point(t.wide)) < 1:
        return ["eps-too-late"]
    kinds = []
    signs = (t.quant_min + lo / scale, -lo / scale)
    if abs(zero_point - exact) > 0.51 and any(
        abs(zero_point - min(max(round(v), t.quant_min), t.quant_max)) <= 0.51 for v in signs
    ):
        kinds.append("wrong-place")
    if abs(zero_point - exact) < 1 and t.quant_min <= zero_point <= t.quant_max:
        kinds.append("truncated")
    if t.quant_min != -128 and abs(zero_point - (-128 - lo / scale)) <= 0.51:
        kinds.append("hard-coded-range")
    if abs(zero_point + lo / scale) <= 0.51 or abs(zero_point - (t.quant_min + lo / scale)) <= 0.51:
        kinds.append("wrong-place")
    if not t.quant_min <= zero_point <= t.quant_max:
        kinds.append("outside")
    return kinds


def _common_cause(wrong: list[tuple[Try, dict[str, Any], list[str]]]) -> tuple[str | None, Any]:
    """The mistake that explains most of the failed tries (the first listed among equals), and one of these tries."""
    kinds = list(dict.fromkeys(kind for _t, _said, found in wrong for kind in found))
    if not kinds:
        return None, wrong[0]
    best = max(kinds, key=lambda kind: sum(kind in found for _t, _said, found in wrong))
    return best, next(w for w in wrong if best in w[2])
