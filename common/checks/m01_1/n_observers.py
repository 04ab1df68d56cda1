"""A prediction: at how many places prepare_pt2e puts an observer."""

from collections.abc import Iterator

from common.checks.m01_1._predicted import NumberPredicted, counted, round_or_none
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence


class NObservers(NumberPredicted, Exercise):
    """n_observers(): predict at how many places of the net pool_chain prepare_pt2e puts an observer."""

    id = "m01_1.n_observers"
    kind = "prediction"
    minutes = 5
    criteria = {"places": 0}
    hints = (
        "Go through the net from the input to the output. Which values will be stored as integers?",
        "The input; each weight; the output of each op, but for a conv with a relu behind it only that of the relu.",
    )
    misconceptions = {
        "conv-and-relu": "A conv and the relu behind it are one unit. The value between them is never stored, so there is "
        "no observer.",
        "ends": "The net's input is observed as well as its last output: the first op reads integers, and the last one "
        "writes them.",
        "no-weights": "A weight is quantized like everything else that a conv or linear reads, so it has an observer.",
        "biases": "A bias has no observer: it is added to the int32 sum, and its scale follows from the other two.",
        "objects": "A pool or a flatten shares its observer *object* with the op in front of it, but each has a place of "
        "its own in the graph, and the places were asked for.",
    }

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        n, said = counted(), evidence.facts["answer"]
        wrong = {
            n["places"] + n["conv_relu"]: "conv-and-relu",
            n["places"] + n["biases"]: "biases",
            n["places"] - 1: "ends",
            n["places"] - 2: "ends",
            n["places"] - n["weights"]: "no-weights",
            n["objects"]: "objects",
        }
        if said == n["places"]:
            yield self.passed("places")
        elif said != round_or_none(said):
            yield Finding("places", False, "form", "That is not a whole number.")
        else:
            symptom = "There are fewer places than that." if said > n["places"] else "There are more places than that."
            yield self.failed("places", wrong.get(said), symptom)
