"""A multiplier without a point: an int32 and a shift."""

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import NUMBER, Evidence, Recorder


class FixedPoint(Exercise):
    """fixed_point(multiplier): an int32 number m and a shift, so that multiplier ≈ m / 2**shift."""

    id = "m07_3.fixed_point"
    kind = "core"
    minutes = 15
    criteria = {"value": 1, "as many bits as fit": 1, "int32": 1, "nearest": 1}
    must_return = True
    parameters = ("multiplier",)
    not_allowed = ("as_fixed_point",)
    hints = (
        "Doubling m and adding 1 to the shift changes nothing in m / 2**shift. So go on until m is as large as it may be.",
        "`math.frexp(multiplier)` gives (f, e) with multiplier = f · 2**e and 0.5 <= f < 1. Then f · 2**31 lies in "
        "2**30…2**31.",
        "m = round(f * 2**31) and shift = 31 - e. One case is left: when f is so near to 1 that m becomes 2**31.",
    )
    misconceptions = {
        "few-bits": "A small m has few digits: with m = 3 the multiplier is known to one part in six. Make the shift larger "
        "until m has 31 bits; for a small multiplier the shift goes far beyond 31.",
        "too-large": "int32 ends at 2**31 - 1. Where rounding gives 2**31, the same value is 2**30 with a shift that is one "
        "less.",
        "shift-of-frexp": "The e of frexp is the exponent of a fraction f. Once f was made an integer, f · 2**31, the shift "
        "has to undo these 31 too: multiplier = m / 2**(31 - e).",
        "shift-sign": "The shift says how far to the *right*: multiplier = m / 2**shift. A smaller multiplier has a "
        "larger shift.",
        "cuts-off": "`int(...)` and `//` cut off. Half a unit of m is lost on average, always to the same side: "
        "`round(...)`.",
        "float32": "A float32 has 24 bits, so an m that went through one ends in seven zeros. Python's floats have 53 bits, and "
        "so has torch.float64.",
        "not-whole": "There is no point on this hardware: m and the shift are whole numbers.",
        "swapped": "The pair is (m, shift), in this order.",
    }
    public_cases = (
        Case(multipliers=[0.0037, 0.25, 0.6, 0.0000051]),
        Case(multipliers=[0.9999999999, 1.7, 0.03, 37.5, 0.49999999995]),
    )
    facts = {
        "pairs": {
            "type": "array",
            "maxItems": 100,
            "items": {"type": "array", "maxItems": 2, "items": NUMBER},
        }
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        pairs: list[list[Any]] = []
        for multiplier in case.multipliers:
            returned = ev.call(answer, multiplier)
            pair: list[Any] = []
            if isinstance(returned, (tuple, list)) and len(returned) == 2:
                with ev.student("m and the shift were read as numbers"):
                    pair = [_number(v) for v in returned]
            pairs.append(pair)
            ev.fact("pairs", pairs)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        pairs = evidence.facts["pairs"]
        if len(pairs) != len(case.multipliers) or not all(len(p) == 2 for p in pairs):
            yield Finding(None, False, "form", "What is returned is not a pair (m, shift).")
            return
        if not all(math.isfinite(v) and v == int(v) and abs(v) < 2**70 for pair in pairs for v in pair):
            yield self.failed("int32", "not-whole", "m or the shift is not a whole number.")
            return
        tries = [(Fraction(r), int(m), int(shift)) for r, (m, shift) in zip(case.multipliers, pairs, strict=True)]
        if all(_close(r, shift, m) for r, m, shift in tries) and not all(_close(*t) for t in tries):
            for criterion in self.criteria:
                yield self.failed(criterion, "swapped", "The shift comes first, and m second.")
            return
        yield from self._value(tries)
        large = [t for t in tries if not 0 < t[1] < 2**31]
        if large:
            told = f"multiplier {float(large[0][0]):.10g}: m = {large[0][1]}"
            yield self.failed("int32", "too-large", "m does not fit into int32, or is not positive.", detail=told)
        else:
            yield self.passed("int32")
        few = [t for t in tries if t[1] < 2**30]
        if few:
            told = f"multiplier {float(few[0][0]):.10g}: m = {few[0][1]}"
            yield self.failed("as many bits as fit", "few-bits", "m is smaller than 2**30.", detail=told)
        else:
            yield self.passed("as many bits as fit")
        far = [t for t in tries if _close(*t) and not _nearest(*t)]
        if far:
            r, m, shift = far[0]
            told = f"multiplier {float(r):.10g}: exactly {float(r * _power(shift)):.3f}, yours {m}"
            short = all(m % 64 == 0 and abs(r * _power(shift) - m) <= 64 for r, m, shift in far)
            kind = "float32" if short else "cuts-off"
            yield self.failed("nearest", kind, "m is not the nearest integer.", detail=told)
        elif all(_close(*t) for t in tries):
            yield self.passed("nearest")

    def _value(self, tries: list[tuple[Fraction, int, int]]) -> Iterator[Finding]:
        wrong = [t for t in tries if not _close(*t)]
        if not wrong:
            yield self.passed("value")
            return
        r, m, shift = wrong[0]
        told = f"multiplier {float(r):.10g}: yours m = {m}, shift = {shift}"
        kind, symptom = None, "m / 2**shift is another number than the multiplier."
        if all(_close(r, m, 31 - shift) or _close(r, m, 31 + shift) for r, m, shift in wrong):
            kind, symptom = (
                "shift-of-frexp",
                "The shift does not undo the 31 bits by which the fraction was made whole.",
            )
        elif all(_close(r, m, -shift) for r, m, shift in wrong):
            kind, symptom = "shift-sign", "The shift has the wrong sign."
        elif all(m < 2**20 for _r, m, _shift in wrong):
            kind, symptom = "few-bits", "With this m the multiplier is off by more than one part in a thousand."
        yield self.failed("value", kind, symptom, detail=told)


def _number(value: Any) -> Any:
    try:
        return int(value) if int(value) == value else float(value)
    except OverflowError:
        return float(value)


def _power(shift: int) -> Fraction:
    return Fraction(2) ** max(-400, min(400, shift))


def _close(r: Fraction, m: int, shift: int) -> bool:
    """To one part in a thousand: finer differences belong to other criteria."""
    return abs(m / _power(shift) / r - 1) <= Fraction(1, 1000)


def _nearest(r: Fraction, m: int, shift: int) -> bool:
    """Who stops at 2**31 - 1 where the nearest would be 2**31 is one off, and nowhere nearer can be had there."""
    off = abs(r * _power(shift) - m)
    return off <= Fraction(1, 2) or (m == 2**31 - 1 and off <= 1)
