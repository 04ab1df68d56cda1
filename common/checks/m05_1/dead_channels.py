"""A prediction: how many channels one scale for all rounds to zeros."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from common.checks.m05_1._weights import highest, largest, on_grid
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import NUMBER, Evidence, Recorder

if TYPE_CHECKING:
    import torch


class DeadChannels(Exercise):
    """dead_channels(): predict how many of eight channels one scale for all turns into zeros, at 4 bits."""

    id = "m05_1.dead_channels"
    kind = "prediction"
    minutes = 5
    criteria = {"zeros": 0}
    must_return = True
    parameters = ()
    not_allowed = ("fake_quantize_per_tensor_affine", "quantize_per_tensor")
    hints = (
        "The largest channel decides about the step. Which values are rounded to the integer 0?",
        "The step is 1/7. Everything nearer to 0 than *half* a step becomes 0.",
    )
    misconceptions = {
        "whole-step": "Rounding goes to the nearest integer: a value of more than half a step becomes a whole step. Only "
        "what is smaller than half a step is lost.",
        "never-lost": "A small channel does not keep its own integers: with one scale for all it has to take those that the "
        "large channel needs, and they may all be 0.",
        "all-but-one": "The second channel is half as large as the first, so it still reaches three or four of the "
        "integers. It loses accuracy, and it is not lost.",
    }
    public_cases = (Case(),)
    facts = {"answer": NUMBER}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        predicted = ev.call(answer)
        with ev.student("the prediction was read as a number"):
            ev.fact("answer", float(predicted))

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        said, right = float(evidence.facts["answer"]), dead(4)
        wrong = {dead(4, rounded=False): "whole-step", 0: "never-lost", 7: "all-but-one"}
        if said == right:
            yield self.passed("zeros")
        elif not math.isfinite(said) or said != round(said) or not 0 <= said <= 8:
            yield Finding("zeros", False, "form", "That is not a whole number from 0 to 8.")
        else:
            symptom = "Fewer channels are lost than that." if said > right else "More channels are lost than that."
            yield self.failed("zeros", wrong.get(int(said)), symptom)


def halves() -> "torch.Tensor":
    """Eight channels; the largest absolute value of each is half that of the one before, and the first has 1."""
    import torch

    generator = torch.Generator().manual_seed(0)
    w = torch.rand(8, 5, generator=generator) - 0.5
    w[:, 2] = 1.0
    return w * 0.5 ** torch.arange(8).reshape(-1, 1)


def dead(bits: int, *, rounded: bool = True) -> int:
    """How many channels hold nothing but zeros afterwards; not rounded: the digits are cut off."""
    import torch

    w = halves()
    scale = largest(w, None) / highest(bits)
    back = on_grid(w, scale, highest(bits)) if rounded else torch.trunc(w / scale)
    return int((back == 0).all(1).sum())
