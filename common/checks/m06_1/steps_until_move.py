"""A prediction: small updates of a weight, and when the rounded weight notices."""

from collections.abc import Iterator
from typing import Any

from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import NUMBER, Evidence, Recorder

WEIGHT, STEP, UPDATE = 0.30, 0.25, 0.01


class StepsUntilMove(Exercise):
    """steps_until_move(): predict after how many updates the rounded weight changes for the first time."""

    id = "m06_1.steps_until_move"
    kind = "prediction"
    minutes = 3
    must_return = True
    parameters = ()
    criteria = {"steps": 0}
    hints = (
        "The optimizer changes the float weight, not the rounded one. To which point of the grid does 0.30 go at first?",
        "0.30 goes to 0.25. Where is the border between the values that go to 0.25 and those that go to 0.50?",
    )
    misconceptions = {
        "never": "The update is smaller than a step, but it is not lost: it is kept in the float weight. Many small updates "
        "add up, and that is why training keeps float weights.",
        "at-once": "The float weight moves at once. The rounded weight stays where it is until the float weight crosses the "
        "border between two points of the grid.",
        "to-the-grid-point": "Rounding goes to the nearest point. The rounded weight changes in the middle between two "
        "points, not when the float weight arrives at the next one.",
        "a-whole-step": "The float weight does not start on a point of the grid, and it has only to reach the middle "
        "between two points.",
        "from-the-grid-point": "The float weight starts at 0.30, where it is, and not at the point of the grid that it "
        "is rounded to. It has gone part of the way already.",
    }
    public_cases = (Case(),)
    facts = {"answer": NUMBER}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        predicted = ev.call(answer)
        with ev.student("the prediction was read as a number"):
            ev.fact("answer", float(predicted))

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        said, truth = evidence.facts["answer"], _steps()
        if said == truth:
            yield self.passed("steps")
            return
        point = round(WEIGHT / STEP) * STEP
        kinds = {
            "never": (0, -1, float("inf")),
            "at-once": (1,),
            "to-the-grid-point": (round((point + STEP - WEIGHT) / UPDATE),),
            "a-whole-step": (round(STEP / UPDATE),),
            "from-the-grid-point": (int(STEP / 2 / UPDATE), int(STEP / 2 / UPDATE) + 1),
        }
        kind = next((k for k, values in kinds.items() if said in values), None)
        yield self.failed("steps", kind, "The rounded weight does not change for the first time there.")


def _steps() -> int:
    """Do the updates one by one, in exact decimals, and count."""
    from decimal import Decimal

    weight, step, update = (Decimal(str(v)) for v in (WEIGHT, STEP, UPDATE))
    first = round(weight / step)
    count = 0
    while round((weight + count * update) / step) == first:
        count += 1
    return count
