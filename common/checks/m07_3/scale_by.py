"""Multiplying by m / 2**shift with integers only."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from common.checks.m07_3._integers import generator, wrapped
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import TENSOR, Evidence, Recorder

if TYPE_CHECKING:
    import torch


class ScaleBy(Exercise):
    """scale_by(acc, m, shift): acc · m / 2**shift, rounded, with integers only."""

    id = "m07_3.scale_by"
    kind = "practice"
    minutes = 10
    criteria = {"wide enough": 1, "nearest": 1}
    must_return = True
    parameters = ("acc", "m", "shift")
    not_allowed = ("double", "float64", "ldexp", "rescale")
    hints = (
        "A product of two int32 numbers needs up to 63 bits. In which type has it to be computed?",
        "`>> shift` divides by 2**shift and goes *down*. What must be added before the shift, so that the nearest comes "
        "out?",
        "Half of 2**shift is `1 << (shift - 1)`. So: to int64, times m, plus this half, `>> shift`, to int32.",
    )
    misconceptions = {
        "int32-product": "int32 · int32 needs 63 bits. In int32 the product begins again at the other end, many times; "
        "nothing of it can be used.",
        "cuts-off": "`>>` goes down to the next integer, and a cast or a division cuts off. Add half of 2**shift before "
        "the shift: then the nearest comes out.",
        "half-up-twice": "Half of 2**shift is 1 << (shift - 1). A whole 2**shift more is a whole step more.",
        "float": "float32 has 24 bits. An accumulator with 31 of them loses the last ones. (And the hardware of this lesson "
        "has no floats at all.)",
        "float64": "Python's `/`, and its floats, are floats of 64 bits too. They hold 53 bits, and the product has up to 62: "
        "just beside a tie the last ones decide. Stay with integers: `>>` or `//`.",
    }
    public_cases = (Case(multiplier=0.0037, size=60000), Case(multiplier=0.83, size=2000000000, seed=1))
    facts = {"result": TENSOR}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        acc, m, shift = _data(case)
        returned = ev.call(answer, acc, m, shift)
        with ev.student("the result was read"):
            ev.tensor("result", returned)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        import torch

        if not evidence.has("result"):
            yield Finding(None, False, "form", "What is returned is not a tensor.")
            return
        said, (acc, m, shift) = evidence.tensor("result"), _data(case)
        if said.shape != acc.shape or said.dtype != torch.int32:
            detail = f"yours: {said.dtype}, shape {tuple(said.shape)}"
            yield Finding(None, False, "form", "The result is not an int32 tensor in the shape of acc.", "", detail)
            return
        low = (acc.long() * m) >> shift  # of the two integers around the exact result, the lower one
        rest = (acc.long() * m) - (low << shift)
        half = 1 << (shift - 1)
        off = said.long() - low
        cut = torch.div(acc.long() * m + half, 1 << shift, rounding_mode="trunc")
        if bool((off > 1).any()) and torch.equal(said.long(), cut):
            yield self.passed("wide enough")
            symptom = "Half a step is added, but then negative values are cut off towards 0."
            yield self.failed("nearest", "cuts-off", symptom)
            return
        if bool(((off < 0) | (off > 1)).any()):
            yield self._wide(said.long(), acc.long(), m, shift, low)
            return
        yield self.passed("wide enough")
        wrong = ((off == 0) & (rest > half)) | ((off == 1) & (rest < half))  # at a tie both neighbours are right
        if bool(wrong.any()) and int((rest - half)[wrong].abs().max()) <= max(1, half >> 18):
            symptom = "Results just beside a tie go to the wrong side."
            yield self.failed("nearest", "float64", symptom)
        elif bool(wrong.any()):
            yield self.failed(
                "nearest", "cuts-off", "Of the two integers around the exact result, it is not the nearer."
            )
        else:
            yield self.passed("nearest")

    def _wide(self, said: "torch.Tensor", acc: "torch.Tensor", m: int, shift: int, low: "torch.Tensor") -> Finding:
        criterion, product = "wide enough", wrapped(acc * m, 32)
        narrow = [product >> min(shift, 63), wrapped(product + (1 << (shift - 1)), 32) >> min(shift, 63)]
        narrow += [(product + (1 << (shift - 1))) >> shift]
        if any(int((said - n).abs().max()) <= 1 for n in narrow) or int(said.abs().max()) <= 1:
            return self.failed(criterion, "int32-product", "The product of acc and m did not fit into its type.")
        off = said - low
        if int(off.min()) >= 1 and int(off.max()) <= 2:
            return self.failed(criterion, "half-up-twice", "Every result is too large, by about one.")
        if int(off.abs().max()) <= 1e-6 * float(low.abs().max()) + 1:
            return self.failed(criterion, "float", "Large results are wrong in their last digits.")
        return self.failed(criterion, None, "The results are other ones than acc · m / 2**shift.")


def _data(case: Case) -> "tuple[torch.Tensor, int, int]":
    import math

    import torch

    fraction, exponent = math.frexp(case.multiplier)
    acc = torch.randint(-case.size, case.size, (500,), generator=generator(case), dtype=torch.int32)
    m, shift = round(fraction * 2**31), 31 - exponent
    beside = torch.tensor(_beside_ties(m, shift, case.size), dtype=torch.int32)
    return torch.cat((acc, beside)), m, shift


def _beside_ties(m: int, shift: int, size: int) -> list[int]:
    """Values whose result is so near to a half that a float of 64 bits sees a half: there are some if they may be large."""
    while m % 2 == 0:
        m, shift = m // 2, shift - 1
    whole, found = 1 << shift, list[int]()
    for distance in range(-99, 100, 2):
        acc = (whole // 2 + distance) * pow(m, -1, whole) % whole
        found += [a for a in (acc, acc - whole) if size // 4 < abs(a) < size]
    return found
