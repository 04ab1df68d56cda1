"""How far two results are apart, in steps of quantization."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from common.checks.m08_1._files import as_number
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import NUMBER, Evidence, Recorder

if TYPE_CHECKING:
    import torch


class StepsApart(Exercise):
    """steps_apart(a, b, scale): the largest difference between two tensors, in whole steps of the scale."""

    id = "m08_1.steps_apart"
    kind = "core"
    minutes = 10
    criteria = {"in steps": 2, "largest": 2}
    parameters = ("a", "b", "scale")
    must_return = True
    not_allowed = ("in_steps",)
    hints = (
        "Both tensors lie on the same grid: multiples of the scale. By how many lines of the grid do they differ?",
        "The difference of each pair of elements, without its sign; the largest one; divided by the scale.",
        "The quotient is not quite whole (0.9999998): `round` it, do not cut it off.",
    )
    misconceptions = {
        "equality": "Equal or not equal is too coarse: two right kernels may round one value to two neighbours. How far "
        "apart they are is the question.",
        "not-in-steps": "The same absolute difference is a rounding for one scale and a gross error for another. "
        "Divide by the scale.",
        "cut-off": "Floating point gives 0.9999998 where one step is meant, and `int()` makes 0 of it. Round to the "
        "nearest whole number.",
        "rounded-up": "Floating point gives 4.0000003 where four steps are meant, and `ceil` makes 5 of it. Round to the "
        "nearest whole number.",
        "sign-kept": "A difference can be negative. The largest difference is the largest without its sign.",
        "mean": "Most elements agree, so the mean is near 0 whatever a few of them do. One wrong element is wrong.",
        "counts-elements": "In how many places the two differ says nothing about how far.",
        "int8-overflow": "The multiples of the scale are the integers minus the zero point: they go from -255 to 255, "
        "which does not fit into int8.",
        "multiplied": "A step is as large as the scale. So the number of steps is the difference divided by the scale.",
    }
    public_cases = (Case(scale=0.05, steps=[2, -5, 1]), Case(scale=0.003, steps=[0, 4], over=True))
    facts = {"answer": {"anyOf": [NUMBER, {"type": "null"}]}, "returned": {"type": "string"}}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        returned = ev.call(answer, *_pair(case), case.scale)
        ev.fact("returned", type(returned).__name__)
        with ev.student("the result was read"):
            ev.fact("answer", as_number(returned))

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        said, returned = evidence.facts["answer"], evidence.facts.get("returned", "")
        if said is None:
            if returned in ("bool", "bool_"):
                yield self.failed("in steps", "equality", "The answer is True or False, and not a number of steps.")
            else:
                yield Finding(None, False, "form", "What is returned is not a number.")
            return
        a, b = (t.double() for t in _pair(case))
        steps = (a - b) / case.scale
        right = round(float(steps.abs().max()))
        if said == right:
            yield self.passed("in steps")
            yield self.passed("largest")
            return
        largest, signed = float(steps.abs().max()), (float(steps.max()), float((-steps).max()))
        known = {
            "not-in-steps": ("in steps", [largest * case.scale, round(largest * case.scale)]),
            "multiplied": ("in steps", [largest * case.scale**2]),
            "cut-off": ("in steps", [int(largest), int(largest - 1e-3)]),
            "rounded-up": ("in steps", [math.ceil(largest), math.ceil(largest + 1e-3)]),
            "mean": ("largest", [float(steps.abs().mean()), round(float(steps.abs().mean()))]),
            "sign-kept": ("largest", [*signed, *(round(s) for s in signed)]),
            "counts-elements": ("largest", [int((steps.abs() > 0.5).sum()), int((a != b).sum())]),
            "int8-overflow": ("largest", [_in_int8(a, b, case.scale)]),
        }
        detail = f"{right} steps; yours: {said:.6g}"
        if 0 < abs(said - right) < 0.5 and abs(said - largest) < 1e-3:
            yield self.failed("in steps", None, "The number of steps is not whole.", detail=detail)
            return
        order = ("sign-kept", "counts-elements", "int8-overflow", "mean", "multiplied", "not-in-steps")
        order += ("cut-off", "rounded-up")
        kind = next((k for k in order if any(abs(said - v) <= 1e-4 * max(1e-3, abs(v)) for v in known[k][1])), None)
        symptoms = {
            "not-in-steps": "The answer is a difference, and not a number of steps.",
            "multiplied": "The answer is far smaller than any number of steps.",
            "cut-off": "The answer is a step too small.",
            "rounded-up": "The answer is a step too large.",
            "mean": "The answer is a mean.",
            "sign-kept": "The largest difference has the other sign.",
            "counts-elements": "The answer is a number of elements.",
            "int8-overflow": "Some multiples of the scale have overflowed.",
        }
        criterion = known[kind][0] if kind else "largest"
        yield self.passed("largest" if criterion == "in steps" else "in steps")
        yield self.failed(
            criterion, kind, symptoms.get(kind or "", "The number of steps is another one."), detail=detail
        )


def _in_int8(a: "torch.Tensor", b: "torch.Tensor", scale: float) -> int:
    """What comes out where multiples of the scale are kept in int8."""
    import torch

    x, y = (torch.round(t / scale).to(torch.int64).to(torch.int8).int() for t in (a, b))
    return int((x - y).abs().max())


def _pair(case: Case) -> "tuple[torch.Tensor, torch.Tensor]":
    """Two tensors on the grid of the scale; in the first places they differ by the steps of the case.

    Where steps are to be taken, the floating point falls short of the whole number, so that cutting off shows; with
    `over` in the case it lies above, so that rounding up shows.
    """
    import torch

    generator = torch.Generator().manual_seed(case.seed)
    low, high = case.get("range", (-100, 100))
    integers = torch.randint(low, high + 1, tuple(case.get("shape", (4, 6))), generator=generator)
    for place, value in enumerate(case.get("values", ())):  # integers that are to stand in the first places
        integers.view(-1)[place] = value
    other = integers.flatten().clone()
    for place, step in enumerate(case.steps):
        other[place] += step
    a = integers.to(torch.float32) * case.scale
    b = other.reshape(integers.shape).to(torch.float32) * case.scale
    shift = torch.sign(b - a) * case.scale * (-1e-4 if case.get("over") else 1e-4)
    return a, b - shift
