"""Fake quant with a gradient that passes straight through the rounding."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import TENSOR, Evidence, Recorder

if TYPE_CHECKING:
    import torch

LOW, HIGH = -128, 127


class StraightThrough(Exercise):
    """ste(x, scale, zero_point): fake quant to int8 whose gradient passes straight through the rounding."""

    id = "m06_1.ste"
    kind = "core"
    minutes = 15
    criteria = {"values": 1, "gradient inside": 1, "gradient outside": 1, "chain rule": 1}
    must_return = True
    parameters = ("x", "scale", "zero_point")
    not_allowed = (
        "fake_quantize_per_tensor_affine",
        "fake_quantize_per_channel_affine",
        "fake_quantize_per_tensor_affine_cachemask",
        "_fake_quantize_learnable_per_tensor_affine",
        "fused_moving_avg_obs_fake_quant",
        "FakeQuantize",
        "FakeQuantizeBase",
        "FusedMovingAvgObsFakeQuantize",
    )
    hints = (
        "The values are easy; they come from `fake`. What has to be changed is only how they depend on `x` in autograd's "
        "eyes. Which operation has the right values *and* the slopes 1 and 0?",
        "`torch.clamp` has slope 1 inside its limits and 0 outside. The limits of int8, as floats: "
        "`scale * (-128 - zero_point)` and `scale * (127 - zero_point)`. And `t.detach()` has the values of `t` and no "
        "slope at all.",
        "`inside + (rounded - inside).detach()`: the values of `rounded`, the slope of `inside`. (A class of "
        "`torch.autograd.Function` works too: keep a mask in `forward`, multiply by it in `backward`.)",
    )
    misconceptions = {
        "zero": "Rounding is a staircase: its true slope is 0 wherever it has one. autograd says so honestly, and a net that "
        "is trained with it learns nothing. The straight-through gradient takes 1 in place of this 0.",
        "no-graph": "`detach()` around the whole, `no_grad()` or `.data` cut the result off from x: backward has no way "
        "to x any more. Only the *correction* from the rounding is to be cut off.",
        "one-everywhere": "Outside the range of int8 every value becomes the same last point of the grid. Moving x there "
        "changes nothing, and the gradient is 0. Slope 1 is for values inside.",
        "scaled": "Quantizing divides by the scale, dequantizing multiplies by it: in the slope of the whole the two cancel. "
        "From float to float the slope is 1, not 1 / scale and not scale.",
        "ignores-upstream": "`backward` receives the gradient of what comes behind. The result is this gradient times the "
        "slope (the chain rule); the mask alone is only right behind a sum.",
        "other-half-detached": "`a + (b - a).detach()` has the slope of a. With `detach()` on the other part, or twice x in "
        "the sum, the slope is that of something else.",
        "counts-twice": "x stands twice in the sum with a slope: once by itself and once inside of the rest. One of the two "
        "has to be detached.",
        "identity": "Straight through is only the way *back*. On the way forward the values are rounded, or nothing learns "
        "to live with the error.",
        "integers": "What goes on to the next layer are floats in the size of x: quantize, and dequantize again.",
        "no-clamp": "int8 ends at -128 and 127. Forward, a value beyond them is the last point of the grid.",
        "ignores-zero-point": "The zero point moves the limits: the range goes from scale · (-128 - zero_point) to "
        "scale · (127 - zero_point).",
        "changes-input": "The caller still needs x. An operation that ends in `_`, or one on `x.data`, changes it.",
    }
    public_cases = (
        Case(scale=0.05, zero_point=0, shape=[40]),
        Case(scale=0.02, zero_point=-40, shape=[4, 12]),
    )
    facts = {
        "x_after": TENSOR,
        "output": TENSOR,
        "has_gradient": {"type": "boolean"},
        "gradients": {"type": "integer"},
        "ones": TENSOR,
        "upstream": TENSOR,
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        import torch

        for name, upstream in (("ones", None), ("upstream", _upstream(case))):
            x = _input(case).requires_grad_()
            returned = ev.call(answer, x, case.scale, case.zero_point)
            ev.tensor("x_after", x)
            ev.tensor("output", returned)
            if not isinstance(returned, torch.Tensor) or returned.shape != x.shape:
                return
            ev.fact("has_gradient", bool(returned.requires_grad))
            if not returned.requires_grad:
                return
            with ev.student("the gradient of the result was computed"):
                returned.backward(torch.ones_like(returned) if upstream is None else upstream.to(returned.dtype))
            if x.grad is None:
                ev.fact("has_gradient", False)
                return
            ev.tensor(name, x.grad)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        import torch

        x = _input(case)
        if "output" not in evidence.facts or evidence.tensor("output").shape != x.shape:
            symptom = "The function does not return a tensor of the shape of x."
            yield Finding(None, False, "form", symptom)
            return
        if not torch.equal(evidence.tensor("x_after"), x):
            symptom = "The function changes its input: the caller's x holds other values afterwards."
            yield Finding(None, False, "changes-input", symptom, self.misconceptions["changes-input"])
            return
        yield self._values(case, x, evidence.tensor("output").double())
        if not evidence.facts.get("has_gradient"):
            for criterion in ("gradient inside", "gradient outside", "chain rule"):
                symptom = "No gradient comes back to x: the result does not depend on it in autograd's eyes."
                yield self.failed(criterion, "no-graph", symptom)
            return
        ones, upstream = evidence.tensor("ones").double(), evidence.tensor("upstream").double()
        yield from self._gradients(case, x, ones, upstream)

    def _values(self, case: Case, x: "torch.Tensor", output: "torch.Tensor") -> Finding:
        scale, zero_point = case.scale, case.zero_point
        steps = (x.double() / scale).round()
        integers = (steps + zero_point).clamp(LOW, HIGH)

        def is_like(wanted: "torch.Tensor", tolerance: float) -> bool:
            return bool(((output - wanted).abs() <= tolerance).all())

        fine = 1e-3 * scale
        if is_like(scale * (integers - zero_point), fine):
            return self.passed("values")
        kind = None
        if is_like(x.double(), fine) or is_like(
            x.double().clamp(scale * (LOW - zero_point), scale * (HIGH - zero_point)), fine
        ):
            kind = "identity"
        elif is_like(integers, 1e-3) or is_like(steps.clamp(LOW, HIGH), 1e-3):
            kind = "integers"
        elif is_like(scale * steps, fine):
            kind = "no-clamp"
        elif case.zero_point and is_like(scale * steps.clamp(LOW, HIGH), fine):
            kind = "ignores-zero-point"
        at = int((output - scale * (integers - zero_point)).abs().flatten().argmax())
        got, wanted = float(output.flatten()[at]), float((scale * (integers - zero_point)).flatten()[at])
        detail = f"x = {float(x.flatten()[at]):g}: yours {got:g}, wanted {wanted:g}"
        return self.failed(
            "values", kind, "The values that come out are not those of fake quant to int8.", detail=detail
        )

    def _gradients(
        self, case: Case, x: "torch.Tensor", ones: "torch.Tensor", upstream: "torch.Tensor"
    ) -> Iterator[Finding]:
        import torch

        inside, outside = _parts(case, x)
        given = _upstream(case).double()

        def near(got: "torch.Tensor", wanted: "torch.Tensor | float") -> bool:
            wanted = torch.as_tensor(wanted, dtype=torch.float64).expand_as(got)
            return torch.allclose(got, wanted, rtol=1e-4, atol=1e-6)

        within, beyond = ones[inside], ones[outside]
        if near(within, 1.0):
            yield self.passed("gradient inside")
        else:
            kind = None
            if near(within, 0.0):
                kind = "zero"
            elif near(within, 2.0):
                kind = "counts-twice"
            elif near(within, case.scale) or near(within, 1 / case.scale):
                kind = "scaled"
            elif near(within, -1.0):
                kind = "other-half-detached"
            elif self._shifted(case, x, ones):
                kind = "ignores-zero-point"
            symptom = "Inside the range, the gradient is not 1."
            yield self.failed("gradient inside", kind, symptom, detail=f"yours there: {_some(within)}")
        if near(beyond, 0.0):
            yield self.passed("gradient outside")
        else:
            shifted = self._shifted(case, x, ones)
            kind = "ignores-zero-point" if shifted else "one-everywhere" if near(within, beyond.mean()) else None
            if near(beyond, 2.0):
                kind = "counts-twice"
            symptom = "Outside the range, the gradient is not 0."
            yield self.failed("gradient outside", kind, symptom, detail=f"yours there: {_some(beyond)}")
        checked = inside | outside
        if near(upstream[checked], (ones * given)[checked]):
            yield self.passed("chain rule")
        else:
            kind = "ignores-upstream" if near(upstream, ones) else None
            symptom = "With another gradient from behind, the gradient at x is not this one times the slope."
            yield self.failed("chain rule", kind, symptom)

    def _shifted(self, case: Case, x: "torch.Tensor", ones: "torch.Tensor") -> bool:
        """Whether slope 1 and 0 lie where they would with zero point 0."""
        if not case.zero_point:
            return False
        inside, outside = _parts(Case(**{**case, "zero_point": 0}), x)
        return bool((ones[inside] == 1).all() and (ones[outside] == 0).all())


def _some(values: "torch.Tensor") -> str:
    return ", ".join(f"{v:g}" for v in values.flatten()[:4].tolist())


def _parts(case: Case, x: "torch.Tensor") -> "tuple[torch.Tensor, torch.Tensor]":
    """Where the slope is 1 and where it is 0; the half step at each limit belongs to neither: both are in use there."""
    steps = x.double() / case.scale + case.zero_point
    inside = (steps > LOW + 0.01) & (steps < HIGH - 0.01)
    outside = (steps < LOW - 0.51) | (steps > HIGH + 0.51)
    return inside, outside


def _input(case: Case) -> "torch.Tensor":
    """Values from below the range to above it; none lies near a tie, where the last bit would decide."""
    import torch

    generator = torch.Generator().manual_seed(case.seed)
    shape = tuple(case.shape)
    steps = torch.randint(LOW - 90, HIGH + 90, shape, generator=generator).double()
    steps += 0.8 * torch.rand(shape, generator=generator) - 0.4
    return (case.scale * (steps - case.zero_point)).float()


def _upstream(case: Case) -> "torch.Tensor":
    import torch

    generator = torch.Generator().manual_seed(case.seed + 1)
    return torch.randn(tuple(case.shape), generator=generator) * 3
