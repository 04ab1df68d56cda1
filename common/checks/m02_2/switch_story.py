"""A prediction: what the two switches do to a scale, step by step."""

from collections.abc import Iterator
from typing import Any

from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder

CHANGES = ("larger", "same", "smaller")

STEPS = (
    ("both switches on", "observer and fake quant on, data 5 times as large", 5, True, True),
    ("observer off", "observer off, data 50 times as large", 50, False, True),
    ("observer on again", "observer on again, the first data once more", 1, True, True),
    ("fake quant off", "fake quant off, observer on, data 100 times as large", 100, True, False),
)
"""Criterion, what is done, factor of the data, and the two switches."""


class SwitchStory(Exercise):
    """switch_story(): predict how a FakeQuantize's scale changes in four steps."""

    id = "m02_2.switch_story"
    kind = "prediction"
    minutes = 5
    must_return = True
    parameters = ()
    criteria = {name: 0 for name, *_rest in STEPS}
    hints = (
        "Ask at each step: may the observer learn, and is there anything new in the data for it?",
        "A MinMaxObserver keeps the smallest and the largest value that it has *ever* seen.",
    )
    misconceptions = {
        "always-learns": "With the observer off, the range and with it the scale stay as they are, however large the "
        "data. Only the rounding goes on.",
        "forgets": "A MinMaxObserver never forgets: small data lies inside the range that it knows, so nothing changes.",
        "fake-quant-learns": "Rounding and learning are two switches. Without fake quant the observer still learns.",
        "never-learns": "With the observer on, larger data widens the range, and a wider range needs a larger scale.",
    }
    public_cases = (Case(),)
    facts = {"answer": {"type": "array", "maxItems": 20, "items": {}}}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        predicted = ev.call(answer)
        ev.fact("answer", list(predicted) if isinstance(predicted, (list, tuple)) else [])

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        answer, truth = evidence.facts["answer"], _changes(case)
        if len(answer) != len(truth) or any(a not in CHANGES for a in answer):
            symptom = f"The prediction is a list of {len(truth)} words, each 'larger', 'same' or 'smaller'."
            yield Finding(None, False, "form", symptom)
            return
        kinds = ("never-learns", "always-learns", "forgets", "fake-quant-learns")
        for (criterion, what, *_rest), said, true, kind in zip(STEPS, answer, truth, kinds, strict=True):
            if said == true:
                yield self.passed(criterion)
            else:
                yield self.failed(criterion, kind, f"At the step “{what}” the scale does something else.")


def _changes(case: Case) -> list[str]:
    """Do the four steps and see."""
    import torch

    from common.data import random_batches
    from common.pt2e import FakeQuantize, MinMaxObserver

    (x,) = next(random_batches(4, seed=case.seed))
    module = FakeQuantize(observer=MinMaxObserver, dtype=torch.int8, quant_min=-128, quant_max=127, eps=2**-12)
    module(x)
    found = []
    for _criterion, _what, factor, learns, rounds in STEPS:
        before = float(module.scale)
        module.enable_observer(learns)
        module.enable_fake_quant(rounds)
        module(x * factor)
        after = float(module.scale)
        found.append("same" if after == before else "larger" if after > before else "smaller")
    return found
