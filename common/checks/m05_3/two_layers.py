"""A prediction: what two errors of 30 dB come to together."""

import math
from collections.abc import Iterator
from typing import Any

from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import NUMBER, Evidence, Recorder
from common.noise import together

ALONE = 30.0
NEAR = 0.5


class TwoLayers(Exercise):
    """two_layers(): predict the SQNR when two layers are quantized that come to 30 dB each when they are alone."""

    id = "m05_3.two_layers"
    kind = "prediction"
    minutes = 5
    criteria = {"decibels": 0}
    must_return = True
    parameters = ()
    not_allowed = ("together",)
    public_cases = (Case(),)
    hints = (
        "Decibels do not add up. What does add up is the noise, when the two errors know nothing of each other.",
        "Twice the noise: how many decibels is that? 10 · log10(2).",
    )
    misconceptions = {
        "sum": "More noise makes the number of decibels smaller. A sum of 60 dB would be a net that has become better.",
        "same": "That would be so if the second error came for nothing. It comes on top of the first one.",
        "half": "Half the decibels would be thirty times the noise. There is only twice as much.",
        "amplitudes": "Twice as large an error, and so four times the noise: that happens when the two errors are always equal. "
        "Errors that know nothing of each other cancel as often as they add, and only their powers add up.",
        "three-more": "The size of the step is right. But the noise grows, so the decibels become fewer.",
    }
    facts = {"answer": NUMBER}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        predicted = ev.call(answer)
        with ev.student("the prediction was read as a number"):
            ev.fact("answer", float(predicted))

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        said, right = evidence.facts["answer"], together([ALONE, ALONE])
        step = ALONE - right
        wrong = {
            "sum": 2 * ALONE,
            "same": ALONE,
            "half": ALONE / 2,
            "amplitudes": ALONE - 2 * step,
            "three-more": ALONE + step,
        }
        if isinstance(said, (int, float)) and math.isfinite(said) and abs(said - right) <= NEAR:
            yield self.passed("decibels")
            return
        kind = next((k for k, value in wrong.items() if abs(said - value) <= NEAR), None)
        symptom = "There are more decibels than that." if said < right else "There are fewer decibels than that."
        yield self.failed("decibels", kind, symptom)
