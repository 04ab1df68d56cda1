"""A prediction: how many delegates a program gets where one op in the middle stays outside."""

from collections.abc import Iterator
from typing import Any

from common.checks.m08_1._files import edge_program
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder


class DelegateCalls(Exercise):
    """delegate_calls(): how many times the program of `pyramid` calls a delegate."""

    id = "m08_1.delegate_calls"
    kind = "prediction"
    parameters = ()
    minutes = 3
    criteria = {"prediction": 0}
    needs = ("executorch",)
    hints = ("Cut the drawing at the op that stays outside. How many pieces are there?",)
    misconceptions = {
        "one": "One delegate is one piece that runs from start to end. It cannot stop in the middle, hand a tensor out, "
        "and go on when the result comes back.",
        "per-op": "A delegate takes as large a piece as it can, and not each op for itself.",
        "none": "One op that XNNPACK does not take leaves the others where they are: lowering goes by pieces.",
    }
    public_cases = (Case(model="pyramid"),)
    facts = {"answer": {"type": ["integer", "null"]}}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        said = ev.call(answer)
        ev.fact("answer", said if type(said) is int and abs(said) < 2**31 else None)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        from common.backends.xnnpack import delegated_graphs

        said = evidence.facts["answer"]
        if said is None:
            yield Finding(None, False, "form", "What is returned is not a whole number.")
            return
        right = len(delegated_graphs(edge_program(case)))
        if said == right:
            yield self.passed("prediction")
        else:
            kind = {0: "none", 1: "one"}.get(said, "per-op" if said > right + 1 else None)
            yield self.failed("prediction", kind, "It is another number.", detail=f"yours: {said}")
