"""A prediction: how many values the output of a relu can take, with one rounding and with two."""

from collections.abc import Iterator
from typing import Any

from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder

NEAR = 4
"""0 lies on a code, so the range of the codes moves by up to half a step; who counts steps is one below the codes."""


class CodesUsed(Exercise):
    """codes_used(): predict how many different values a relu gives behind a quantized conv, and in a group."""

    id = "m04_2.codes_used"
    kind = "prediction"
    minutes = 5
    parameters = ()
    criteria = {"one rounding": 0, "conv from -1 to 1": 0, "conv from -3 to 1": 0}
    hints = (
        "8 bits are 256 codes. They are spread evenly over the whole range that the observer has seen.",
        "The relu makes everything below 0 to 0. Which part of the range is left, and how many codes lie in it?",
    )
    misconceptions = {
        "all-codes": "The observer behind the relu sees 0 to 1, and spreads all 256 codes over it.",
        "half": "The observer of the conv spreads its codes over -1 to 1. Behind the relu only those from 0 to 1 are left: half "
        "of them.",
        "quarter": "Three quarters of the range lie below 0, and their codes are never used behind the relu.",
    }
    public_cases = (Case(),)
    facts = {"answer": {"type": ["array", "null"], "maxItems": 3, "items": {"type": "integer"}}}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        predicted = ev.call(answer)
        rows = list(predicted) if isinstance(predicted, (list, tuple)) else []
        good = len(rows) == 3 and all(type(row) in (int, float) and row == row and abs(row) < 10**6 for row in rows)
        ev.fact("answer", [round(row) for row in rows] if good else None)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        answer = evidence.facts["answer"]
        if answer is None or len(answer) != 3:
            yield Finding(None, False, "form", "The prediction is a list of three whole numbers.")
            return
        for criterion, kind, said, true in zip(self.criteria, self.misconceptions, answer, truth(), strict=True):
            if abs(said - true) <= NEAR:
                yield self.passed(criterion)
            else:
                yield self.failed(criterion, kind, "It is another number.", detail=f"counted: {true}")


def truth() -> list[int]:
    """Count the values of three relus: alone behind its observer, and behind an observer of the conv."""
    import torch

    found: list[int] = []
    for low, observed_low in ((-1.0, 0.0), (-1.0, -1.0), (-3.0, -3.0)):
        z = torch.linspace(low, 1, 200_001)
        scale = (1 - observed_low) / 255
        zero = round(-128 - observed_low / scale)
        y = torch.fake_quantize_per_tensor_affine(torch.relu(z) if observed_low == 0 else z, scale, zero, -128, 127)
        found.append(len(torch.relu(y).unique()))
    return found
