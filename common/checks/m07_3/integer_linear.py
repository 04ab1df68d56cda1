"""The accumulator of a linear layer: products of integers, added up in int32, with the bias among them."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from common.checks.m07_3._integers import generator, integers, weight_scale, wide, wrapped
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import TENSOR, Evidence, Recorder

if TYPE_CHECKING:
    import torch


class IntegerLinear(Exercise):
    """integer_linear(x, z_x, w, bias, s_x, s_w): the accumulator of a linear layer, in int32."""

    id = "m07_3.integer_linear"
    kind = "core"
    minutes = 15
    criteria = {"sum": 3, "bias": 2, "int32": 1}
    must_return = True
    parameters = ("x", "z_x", "w", "bias", "s_x", "s_w")
    not_allowed = ("quantized", "out_dtype", "_int_mm", "int32_sums", "bias_in_steps")
    hints = (
        "Write the real values as (integer - zero point) · scale, and put them into the sum of products. Which factor "
        "is the same in every term?",
        "Go to int32 first, then subtract z_x, then multiply: `x.to(torch.int32)`. The weight is (out, in), as in "
        "`nn.Linear`.",
        "The accumulator counts in steps of s_x · s_w. So the bias has to be a number of such steps before it is added: "
        "bias / (s_x * s_w), rounded.",
    )
    misconceptions = {
        "overflow": "The difference of two int8 numbers needs 9 bits, a product 16, and a sum of products more. An int8 "
        "or int16 tensor does not complain: it begins again at the other end.",
        "zero-point-left-in": "The integer z_x stands for 0.0. What is not taken off x is multiplied with every weight, and "
        "adds z_x · (sum of the weights) to the result.",
        "zero-point-once": "The zero point belongs to each x, so it is multiplied with each weight: what has to be taken "
        "off is z_x · (sum of the row of weights), not z_x.",
        "zero-point-added": "The real value is (x - z_x) · s_x: the zero point is subtracted.",
        "float-sum": "float32 holds integers up to 2²⁴ only. A sum over many terms is larger, and loses its last digits. "
        "int32 adds exactly.",
        "bias-missing": "The bias belongs to the sum. It is added here, where the wide type is, and not later.",
        "bias-not-scaled": "The accumulator does not count in ones, but in steps of s_x · s_w. A bias of 1.0 is many of "
        "these steps.",
        "bias-scale": "A product of two integers stands for a product of two real values. So one step of the accumulator "
        "is s_x · s_w, both scales, and the bias has to be in the same steps.",
        "not-int32": "The accumulator is a tensor of int32: this is what the hardware keeps it in.",
    }
    public_cases = (
        Case(rows=5, inputs=12, outputs=7, z_x=-9, s_x=0.04, s_w=0.01),
        Case(rows=4, inputs=2048, outputs=3, z_x=-127, s_x=0.02, s_w=0.003, large=True, seed=1),
        Case(rows=5, inputs=9, outputs=6, z_x=31, s_x=0.05, s_w=0.008, per_channel=True, seed=2),
    )
    facts = {"acc": TENSOR}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        x, w, bias, s_w = _data(case)
        returned = ev.call(answer, x, case.z_x, w, bias, case.s_x, s_w)
        with ev.student("the accumulator was read"):
            ev.tensor("acc", returned)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        import torch

        if not evidence.has("acc"):
            yield Finding(None, False, "form", "What is returned is not a tensor.")
            return
        acc = evidence.tensor("acc")
        if tuple(acc.shape) != (case.rows, case.outputs):
            detail = f"expected {(case.rows, case.outputs)}, yours {tuple(acc.shape)}"
            symptom = "The result does not have the shape (rows of x, outputs)."
            yield Finding(None, False, "form", symptom, "", detail)
            return
        if acc.dtype == torch.int32:
            yield self.passed("int32")
        else:
            detail = f"yours: {acc.dtype}"
            yield self.failed("int32", "not-int32", "The accumulator has another type than int32.", detail=detail)
        if acc.dtype.is_complex or acc.dtype == torch.bool or not bool(torch.isfinite(acc.double()).all()):
            return
        yield from self._values(case, acc.double())

    def _values(self, case: Case, said: "torch.Tensor") -> Iterator[Finding]:
        x, w, bias, s_w = _data(case)
        sums, biases = _sums(x.long(), w.long(), case.z_x), _biases(bias, case.s_x, s_w)
        for about_sum, total in sums:
            for about_bias, added in biases:
                if float((said - total.double() - added).abs().max()) <= 1.01:
                    yield from self._told(about_sum, about_bias)
                    return
        exact = sums[0][1].double() + biases[0][1]
        error = (said - exact).abs()
        if float(error.max()) <= 1e-4 * float(exact.abs().max()):
            yield self.failed("sum", "float-sum", "The sums are nearly right, and wrong in their last digits.")
        elif case.rows > 1 and float(((said - exact) - (said - exact)[0]).abs().max()) <= 1.01:
            symptom = (
                "What depends on the data is right; what is added for each output, the bias or a part of it, is not."
            )
            detail = f"for the first output it is off by {float((said - exact)[0, 0]):g} in every row"
            yield self.failed("bias", None, symptom, detail=detail)
        else:
            detail = (
                f"largest difference: {float(error.max()):g}, where the largest sum is {float(exact.abs().max()):g}"
            )
            yield self.failed("sum", None, "The sums are other ones.", detail=detail)

    def _told(self, about_sum: str | None, about_bias: str | None) -> Iterator[Finding]:
        symptoms = {
            "overflow": "Numbers have left the range of their type on the way.",
            "zero-point-left-in": "The sums are those without a zero point.",
            "zero-point-once": "The zero point is taken off once for each sum.",
            "zero-point-added": "The zero point goes into the sums with the wrong sign.",
            "bias-missing": "The bias is not in the result.",
            "bias-not-scaled": "The bias is added as it is, in ones.",
            "bias-scale": "The bias is added in steps of another size.",
        }
        for criterion, about in (("sum", about_sum), ("bias", about_bias)):
            yield self.failed(criterion, about, symptoms[about]) if about else self.passed(criterion)


def _data(case: Case) -> "tuple[torch.Tensor, torch.Tensor, torch.Tensor, Any]":
    """x, w, bias and the scale of w."""
    import torch

    rng = generator(case)
    low = 100 if case.get("large") else -128
    x = integers(rng, low, 127, case.rows, case.inputs)
    w = integers(rng, max(low, -127), 127, case.outputs, case.inputs)
    sign = torch.where(torch.rand(case.outputs, generator=rng) < 0.5, -1.0, 1.0)
    bias = sign * (1.6 + torch.rand(case.outputs, generator=rng))
    return x, w, bias, weight_scale(case, rng, case.outputs)


def _sums(x: "torch.Tensor", w: "torch.Tensor", z: int) -> "list[tuple[str | None, torch.Tensor]]":
    """The right sums first, then those of known mistakes."""
    exact, without = (x - z) @ w.T, x @ w.T
    return [
        (None, exact),
        ("zero-point-left-in", without),
        ("zero-point-once", without - z),
        ("zero-point-added", (x + z) @ w.T),
        ("overflow", wrapped(x - z, 8) @ w.T),
        *(("overflow", wrapped(total, bits)) for total in (exact, without) for bits in (8, 16)),
    ]


def _biases(bias: "torch.Tensor", s_x: float, s_w: Any) -> "list[tuple[str | None, torch.Tensor]]":
    both = wide(s_w) * s_x
    real = bias.double()
    return [
        (None, (real / both).round()),
        ("bias-missing", real * 0),
        ("bias-not-scaled", real),
        *(("bias-scale", (real / s).round()) for s in (s_x, wide(s_w))),
        ("bias-scale", (real * both).round()),
        *(("bias-scale", (real / s).round()) for s in (both.mean(), both.flatten()[0])),
    ]
