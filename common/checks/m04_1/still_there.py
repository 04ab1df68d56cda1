"""A prediction: which batch norms are still in the graph after prepare_pt2e."""

from collections.abc import Iterator
from typing import Any

from common.checks.m04_1 import _bn
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder

ROWS = (
    ("bn_places", "eval", "batch_norm"),
    ("bn_places", "eval", "batch_norm_1"),
    ("bn_places", "eval", "batch_norm_2"),
    ("bn_places", "eval", "batch_norm_3"),
    ("bn_side_reader", "eval", "batch_norm"),
    ("conv_bn_drop", "train", "batch_norm"),
)


class StillThere(Exercise):
    """still_there(): predict which of six batch norms are in the graph after prepare_pt2e."""

    id = "m04_1.still_there"
    kind = "prediction"
    minutes = 5
    parameters = ()
    criteria = {"row 1": 0, "row 2": 0, "row 3": 0, "row 4": 0, "row 5": 0, "row 6": 0}
    hints = (
        "Folding needs a weight and a bias, in an op whose result the batch norm reads directly.",
        "What prepare_pt2e does is not always what it should do. Two of the rows are surprising.",
    )
    misconceptions = {
        "in-front-of-a-conv": "prepare_pt2e folds a batch norm into what stands in front of it. Here that is the input.",
        "behind-a-conv": "This is the usual case: conv, then batch norm. It is folded.",
        "behind-a-relu": "The batch norm reads the relu, not the conv.",
        "behind-a-linear": "A linear has weight and bias as well.",
        "second-reader": "prepare_pt2e folds it, although another op reads the conv too.",
        "train-mode": "prepare_pt2e folds it, although the net was exported in train mode.",
    }
    public_cases = (Case(),)
    facts = {"answer": {"type": ["array", "null"], "maxItems": 6, "items": {"type": "boolean"}}}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        predicted = ev.call(answer)
        rows = list(predicted) if isinstance(predicted, (list, tuple)) else []
        good = len(rows) == len(ROWS) and all(type(row) is bool for row in rows)
        ev.fact("answer", rows if good else None)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        answer = evidence.facts["answer"]
        if answer is None or len(answer) != len(ROWS):
            yield Finding(None, False, "form", "The prediction is a list of six values, each True or False.")
            return
        for criterion, kind, said, true in zip(self.criteria, self.misconceptions, answer, truth(), strict=True):
            if said == true:
                yield self.passed(criterion)
            else:
                yield self.failed(criterion, kind, f"It is the other way round in {criterion}.")


def truth() -> list[bool]:
    """Prepare the nets of the six rows, and look."""
    found: list[bool] = []
    for model, mode, name in ROWS:
        gm = _bn.prepared_without_labels(_bn.graph(Case(model=model, mode=mode)))
        found.append(name in {n.name for n in _bn.batch_norms(gm)})
    return found
