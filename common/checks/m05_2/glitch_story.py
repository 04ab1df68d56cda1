"""A prediction: what one bad pixel does to the scales of three observers."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder

WORDS = ("wider", "same")
GLITCH = 20
BATCH = 32
STEPS = (
    ("min and max", "MinMaxObserver, the bad pixel in the first of 8 batches", "never-forgets"),
    ("more pictures", "MinMaxObserver, 1024 more good pictures afterwards", "more-data"),
    ("moving average, first", "MovingAverageMinMaxObserver, the bad pixel in the first of 8 batches", "starts-with-it"),
    ("moving average, last", "MovingAverageMinMaxObserver, the bad pixel in the last of 8 batches", "a-hundredth"),
    ("histogram, 256 pictures", "HistogramObserver, the bad pixel among 256 pictures", "rare-enough"),
    ("histogram, 32 pictures", "HistogramObserver, the bad pixel among 32 pictures", "not-rare-enough"),
)
"""Criterion, what is done, and what a wrong prediction shows."""


class GlitchStory(Exercise):
    """glitch_story(): predict which observers' ranges become much wider by one bad pixel."""

    id = "m05_2.glitch_story"
    kind = "prediction"
    minutes = 5
    must_return = True
    parameters = ()
    criteria = {name: 0 for name, *_rest in STEPS}
    hints = (
        "MinMaxObserver never forgets. A moving average begins with the range of its first batch, and goes a hundredth of "
        "the way to each new one.",
        "HistogramObserver leaves out up to one value in 100 000 unseen, and from there on it weighs errors. A picture "
        "has 3 · 16 · 16 = 768 values. How many are 256 pictures, and how many are 32?",
    )
    misconceptions = {
        "never-forgets": "One value is enough: the smallest and the largest are kept, whatever the others are.",
        "more-data": "More pictures never make the range of a MinMaxObserver narrower.",
        "starts-with-it": "A moving average begins with its first batch, the bad pixel included, and moves away from there by "
        "one hundredth for each batch. After 8 batches most of it is still there.",
        "a-hundredth": "A new batch moves the range by a hundredth of the difference. A bad pixel that comes late is hardly "
        "noticed.",
        "rare-enough": "One value among 196 608 is rarer than one in 100 000: HistogramObserver leaves it out before it "
        "weighs anything.",
        "not-rare-enough": "Among 24 576 values one is not rare enough to be dropped unseen. And by its squared error it is "
        "worth keeping: a histogram does not heal everything.",
    }
    public_cases = (Case(),)
    facts = {"answer": {"type": "array", "maxItems": 20, "items": {}}}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        predicted = ev.call(answer)
        said = list(predicted)[:20] if isinstance(predicted, (list, tuple)) else []
        ev.fact("answer", [word.strip().lower() if isinstance(word, str) else word for word in said])

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        answer, truth = evidence.facts["answer"], [WORDS[0] if f > 1.5 else WORDS[1] for f in factors(case.seed)]
        if len(answer) != len(truth) or any(a not in WORDS for a in answer):
            symptom = f"The prediction is a list of {len(truth)} words, each 'wider' or 'same'."
            yield Finding(None, False, "form", symptom)
            return
        for (criterion, what, kind), said, true in zip(STEPS, answer, truth, strict=True):
            if said == true:
                yield self.passed(criterion)
            else:
                yield self.failed(criterion, kind, f"At “{what}” something else happens.")


@lru_cache(maxsize=8)
def factors(seed: int) -> list[float]:
    """Do it, and return for each step by what factor the scale is larger than without the bad pixel."""
    import torch

    from common.data import stripes
    from common.pt2e import HistogramObserver, MinMaxObserver, MovingAverageMinMaxObserver

    good, more = stripes(256, seed=seed + 100)[0], stripes(1024, seed=seed + 900)[0]

    def with_glitch(at: int) -> torch.Tensor:
        pictures = good.clone()
        pictures[at, 0, 8, 8] = GLITCH * good.std()
        return pictures

    def scale(observer: type, *shown: torch.Tensor) -> float:
        o = observer(dtype=torch.int8, quant_min=-128, quant_max=127, eps=2**-12)
        for batch in torch.cat(shown).split(BATCH):
            o(batch)
        return float(o.calculate_qparams()[0])

    first, last = with_glitch(5), with_glitch(250)
    pairs = [
        (MinMaxObserver, [first], [good]),
        (MinMaxObserver, [first, more], [good, more]),
        (MovingAverageMinMaxObserver, [first], [good]),
        (MovingAverageMinMaxObserver, [last], [good]),
        (HistogramObserver, [first], [good]),
        (HistogramObserver, [first[:BATCH]], [good[:BATCH]]),
    ]
    return [scale(kind, *bad) / scale(kind, *clean) for kind, bad, clean in pairs]
