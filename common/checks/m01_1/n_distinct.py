"""A prediction: how many observer objects there are behind the places."""

from collections.abc import Iterator

from common.checks.m01_1._predicted import NumberPredicted, counted, round_or_none
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence


class NDistinct(NumberPredicted, Exercise):
    """n_distinct(): predict how many different observer objects prepare_pt2e puts into the net pool_chain."""

    id = "m01_1.n_distinct"
    kind = "prediction"
    minutes = 3
    criteria = {"objects": 0}
    hints = (
        "Which ops only move or select values, so that their output fits into the range of their input?",
        "Max pool, average pool and flatten share the object of the place in front of them, also several in a row.",
    )
    misconceptions = {
        "places": "An op that only moves, selects or averages values keeps the scale of its input: the two places share one "
        "object.",
        "some-of-them": "All such ops share: max pool, average pool and flatten, also when two of them stand in a row.",
        "too-many-shared": "Only such ops share. A conv, a linear or a relu behind a conv makes values of a new range, and "
        "each weight has an object of its own.",
    }

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        n, said = counted(), evidence.facts["answer"]
        if said == n["objects"]:
            yield self.passed("objects")
        elif said != round_or_none(said):
            yield Finding("objects", False, "form", "That is not a whole number.")
        elif said < n["objects"]:
            yield self.failed("objects", "too-many-shared", "There are more objects than that.")
        else:
            kind = "places" if said == n["places"] else "some-of-them" if said < n["places"] else None
            yield self.failed("objects", kind, "There are fewer objects than that.")
