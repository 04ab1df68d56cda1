"""A prediction: who reads an observed value, and how many observers there are."""

from collections.abc import Iterator
from typing import Any

from common.checks.m03_1 import _labels as lb
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder

WORDS = ("observed", "plain")

ROWS: tuple[tuple[str, tuple[tuple[str, ...], ...]], ...] = (
    ("one edge", (("edge", "x", "conv2d"),)),
    ("output", (("out", "x"),)),
    ("both edges", (("edge", "x", "conv2d"), ("edge", "x", "conv2d_1"))),
    ("output and edge", (("out", "x"), ("edge", "x", "conv2d"))),
)
"""Criterion, and the labels, all with the same spec."""


class EdgeOrOutput(Exercise):
    """edge_or_output(): predict what two consumers of x read, and the number of observers."""

    id = "m03_1.edge_or_output"
    kind = "prediction"
    minutes = 5
    parameters = ()
    criteria = {name: 0 for name, _labels in ROWS}
    hints = (
        "For each label ask: does it name one consumer, or only the producer?",
        "Two labels with the same spec on the same tensor ask for the same statistics of the same values. How many "
        "observers does that take?",
    )
    misconceptions = {
        "edge-reaches-all": "The label of an edge names one consumer. The other one is as if there were no label.",
        "output-reaches-one": "An output label names no consumer: whoever reads the tensor reads the observed value.",
        "one-observer-each": "The number of observers is not the number of labels or of consumers. Labels with the same "
        "settings on the same tensor are served by one observer.",
        "labels-cancel": "A second label does not take the first one away.",
    }
    public_cases = (Case(),)
    facts = {
        "answer": {
            "type": ["array", "null"],
            "maxItems": 20,
            "items": {"type": "array", "maxItems": 5, "items": {"type": ["string", "number", "object", "null"]}},
        }
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        predicted = ev.call(answer)
        rows = predicted if isinstance(predicted, (list, tuple)) else []
        good = len(rows) == len(ROWS) and all(isinstance(row, (list, tuple)) and len(row) == 3 for row in rows)
        good = good and all(r[0] in WORDS and r[1] in WORDS and type(r[2]) is int for r in rows)
        ev.fact("answer", [list(row) for row in rows] if good else None)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        answer = evidence.facts["answer"]
        if answer is None or len(answer) != len(ROWS) or any(len(row) != 3 for row in answer):
            symptom = (
                f"The prediction is a list of {len(ROWS)} rows: two words ('observed' or 'plain') and a number in each."
            )
            yield Finding(None, False, "form", symptom)
            return
        for (criterion, labels), said in zip(ROWS, answer, strict=True):
            true = _truth(case, labels)
            if said == true:
                yield self.passed(criterion)
            elif said[:2] != true[:2]:
                symptom = f"In the row “{criterion}” a consumer reads something else than you predict."
                yield self.failed(criterion, _kind(criterion, said), symptom)
            else:
                symptom = f"In the row “{criterion}” the number of observers is another one."
                yield self.failed(criterion, "one-observer-each", symptom)


def _kind(criterion: str, said: list[Any]) -> str | None:
    if criterion == "one edge":
        return "edge-reaches-all" if said[1] == "observed" else None
    if criterion == "output":
        return "output-reaches-one" if "observed" in said[:2] else None
    return "labels-cancel"


def _truth(case: Case, labels: tuple[tuple[str, ...], ...]) -> list[Any]:
    """Prepare the net with these labels and look."""
    from common.graph_utils import observer_nodes

    gm = lb.prepared("cat_pool", case.seed, lb.put(labels, lb.make_spec("int8")))
    observed = lb.observed(gm)
    words = ["observed" if ("x", consumer) in observed else "plain" for consumer in ("conv2d", "conv2d_1")]
    return [*words, len(observer_nodes(gm))]
