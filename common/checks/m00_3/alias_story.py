"""A prediction: which recorded tensors still hold what was computed, where ops work in place."""

from collections.abc import Iterator
from typing import Any

from common.checks._nets import exported
from common.checks.m00_3.record_outputs import record
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder

WORDS = ("kept", "overwritten")
CHOICE = " or ".join(f'"{word}"' for word in WORDS)
NODES = ("conv2d", "relu_", "add_", "conv2d_1")


class AliasStory(Exercise):
    """alias_story(): predict which stored tensors were overwritten by ops that work in place."""

    id = "m00_3.alias_story"
    kind = "prediction"
    minutes = 5
    must_return = True
    parameters = ()
    not_allowed = ("Interpreter", "record", "node_outputs")
    criteria = dict.fromkeys(NODES, 0)
    hints = (
        "How many tensors does the graph make? An op that works in place makes none: its value is the tensor that it "
        "has written into.",
        "Three of the four names stand for one and the same tensor. It holds what was written into it last.",
    )
    misconceptions = {
        "own-tensors": "`relu_` and `add_` make no tensor of their own. They write into the one that they read and hand "
        "it on, so the stored value of an earlier node changes with it.",
        "last-writer": "What was written last is still there: the last op that works in place finds its own value.",
        "reading": "To read a tensor does not change it. The second convolution makes a new one.",
    }
    public_cases = (Case(),)
    facts = {"answer": {"type": "array", "maxItems": 20, "items": {}}}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        predicted = ev.call(answer)
        ev.fact("answer", list(predicted) if isinstance(predicted, (list, tuple)) else [])

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        answer, truth = evidence.facts["answer"], _truth(case)
        if len(answer) != len(truth) or any(a not in WORDS for a in answer):
            yield Finding(
                None, False, "form", f"The prediction is a list of {len(truth)} words, each of them {CHOICE}."
            )
            return
        kinds = ("own-tensors", "own-tensors", "last-writer", "reading")
        for name, said, true, kind in zip(NODES, answer, truth, kinds, strict=True):
            if said == true:
                yield self.passed(name)
            else:
                yield self.failed(name, kind, f"With the tensor stored for `{name}` something else happens.")


def _truth(case: Case) -> list[str]:
    """Run it, and see."""
    import torch

    from common.models import example_inputs

    computed, kept = record(exported("in_place", case.seed), example_inputs(seed=case.seed + 1)[0])
    return [WORDS[0] if torch.equal(computed[name], kept[name]) else WORDS[1] for name in NODES]
