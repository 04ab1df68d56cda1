"""From the stored integers of a converted graph back to the weight that they stand for."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from common.checks.m01_2._stages import nodes_of, stage
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import TENSOR, Evidence, Recorder

if TYPE_CHECKING:
    import torch


class DequantizeWeight(Exercise):
    """dequantize_weight(gm, name): the float weight that the stored integers behind a conv2d or linear stand for."""

    id = "m01_2.dequantize_weight"
    kind = "practice"
    minutes = 15
    criteria = {"shape": 1, "values": 3}
    must_return = True
    parameters = ("gm", "name")
    not_allowed = ("dequantize_per_channel", "dequantize_per_tensor", "Interpreter", "run_node")
    hints = (
        "The node's second input is the weight: `node.args[1]`. What kind of node is it after convert, and what are *its* "
        "arguments?",
        "`dq.args` begins with the constant, the scale(s) and the zero point(s). A `get_attr` node is read with "
        "`getattr(gm, that_node.target)`; with one scale for the whole weight, scale and zero point are plain numbers.",
        "The scales of a per-channel node belong to axis `dq.args[3]`. Reshape them so that this axis has their length and "
        "all others length 1, and turn the integers into float before you subtract.",
    )
    misconceptions = {
        "float-weight": "The float weight is still stored in the module, but no node of the graph reads it. The question is "
        "which values the graph computes with.",
        "integers": "The integers say how many steps a value is away from 0. They have to be multiplied by the step.",
        "one-scale": "A per-channel weight has a scale for each channel, not the first one for all.",
        "wrong-axis": "Broadcasting aligns shapes at the right end. Reshape the scales so that they lie along the axis that "
        "the node names; where two axes have the same length, no error tells you that it was the wrong one.",
        "flattened": "A weight of a convolution has four axes. Whoever flattens it on the way has to bring it back into shape.",
        "first-weight": "A graph has several weights. `name` says whose is asked for.",
        "data-not-weight": "The first input of a conv2d or linear is its data. The weight is the second one, `node.args[1]`.",
        "numbers-not-nodes": "In a per-tensor node, scale and zero point are plain numbers among the arguments. Only in a "
        "per-channel node are they nodes that stand for stored tensors.",
        "divided": "Quantizing divides by the scale, so dequantizing multiplies.",
        "integers-again": "The weight is a float tensor: its values are whole numbers of *steps*, and a step is not 1.",
        "calls-the-op": "The dequantize op does the whole job, also when it is called by way of a node's target or of the "
        "graph. The exercise is about the formula behind it.",
        "axis-0-only": "XNNPACK's weights have their scales along axis 0, but the axis is an argument of the node, and other "
        "quantizers choose another one.",
        "zero-point-added": "Quantizing adds the zero point, so dequantizing subtracts it.",
        "no-zero-point": "A zero point of 0 can be left out, but not every weight is quantized with one.",
        "minus-after": "The zero point is a number of steps, so it is subtracted before the multiplication by the step.",
        "int8-overflow": "int8 minus a plain number stays int8, and beyond −128 and 127 it begins again at the other end.",
    }
    public_cases = (
        Case(model="conv_relu", name="conv2d"),
        Case(model="residual", name="conv2d_1", weights="channel_axis_1", shift=0.05),
        Case(model="linear_relu", name="linear", weights="tensor_affine", shift=0.05, seed=1),
    )
    facts = {
        "weight": TENSOR,
        "type": {"type": "string"},
        "ops": {"type": "array", "maxItems": 20, "items": {"type": "string"}},
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        import torch

        gm = stage(case, "converted")
        with _dequantize_ops() as called:
            returned = ev.call(answer, gm, case.name)
        ev.fact("ops", sorted(called)[:20])
        ev.fact("type", type(returned).__name__)
        if isinstance(returned, torch.Tensor):
            ev.tensor("weight", returned.detach())

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        exception = evidence.exception or {}
        message = exception.get("message", "")
        if message in ("'float' object has no attribute 'target'", "'int' object has no attribute 'target'"):
            yield self.failed("values", "numbers-not-nodes", "A number among the arguments was taken for a node.")
        elif message.startswith("The size of tensor a") and "must match the size of tensor b" in message:
            yield self.failed("shape", "wrong-axis", "Weight and scales do not fit together.")
        elif message == "attribute name must be string, not 'OpOverload'":
            symptom = "An op was looked up as a stored tensor: what is read here is computed, and not stored."
            yield self.failed("values", "data-not-weight", symptom)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        import torch

        if evidence.facts["ops"]:
            detail, why = ", ".join(evidence.facts["ops"]), self.misconceptions["calls-the-op"]
            symptom = "While the answer ran, a dequantize op was called."
            yield Finding(None, False, "calls-the-op", symptom, why, detail)
            return
        if not evidence.has("weight"):
            detail = f"its type: {evidence.facts['type']}"
            yield Finding(None, False, "form", "What is returned is not a tensor.", "", detail)
            return
        got, parts = evidence.tensor("weight"), _Parts(case)
        wanted = parts.weight()
        if got.shape == wanted.shape:
            yield self.passed("shape")
        else:
            symptom = "The result does not have the shape of the weight."
            kind = "wrong-axis" if got.numel() >= wanted.numel() else None
            if any(_same(got, other, 1e-3 * float(parts.scale.min())) for other in parts.others()):
                kind = "first-weight"
            elif got.numel() == wanted.numel() and got.dim() < wanted.dim():
                kind = "flattened"
            detail = f"asked for: {tuple(wanted.shape)}; yours: {tuple(got.shape)}"
            yield self.failed("shape", kind, symptom, detail=detail)
            yield self.failed("values", kind, "The values cannot be compared: the shape is another one.")
            return
        # float32 rounds differently in other ways of computing; the next wrong value is a whole step away
        allowed = 1e-3 * float(parts.scale.min())
        if not torch.is_complex(got) and bool(((got.double() - wanted).abs() <= allowed).all()):
            yield self.passed("values")
            return
        wrong = parts.wrong()
        matches = (
            k for k, v in wrong.items() if v is not None and torch.allclose(got.double(), v, rtol=1e-5, atol=allowed)
        )
        symptom = "The result does not hold the values that the integers stand for."
        kind = next(matches, None)
        if kind is None and not got.dtype.is_floating_point:
            kind = "integers-again"
        elif kind is None and any(_same(got, other, allowed) for other in parts.others()):
            kind = "first-weight"
        at = int((got.double() - wanted).abs().flatten().argmax()) if not torch.is_complex(got) else 0
        values = [float(v.flatten()[at].real) for v in (got, wanted)]
        detail = f"value no. {at} of the flattened weight: yours {values[0]:.6g}, asked for {values[1]:.6g}"
        yield self.failed("values", kind, symptom, detail=detail)


def _same(got: "torch.Tensor", other: "torch.Tensor", allowed: float) -> bool:
    import torch

    return got.shape == other.shape and torch.allclose(got.double(), other, rtol=1e-5, atol=allowed)


@contextmanager
def _dequantize_ops() -> Iterator[set[str]]:
    """Note the dequantize ops of `quantized_decomposed` that are called meanwhile, by whatever way."""
    from torch.utils._python_dispatch import TorchDispatchMode

    found: set[str] = set()

    class Noting(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if "quantized_decomposed" in str(func) and "dequantize" in str(func):
                found.add(str(func))
            return func(*args, **(kwargs or {}))

    with Noting():
        yield found


class _Parts:
    """What the judge's own graph stores for the weight of a case."""

    def __init__(self, case: Case) -> None:
        import torch

        gm = stage(case, "converted")
        dq = nodes_of(gm)[case.name].args[1]
        self.case = case
        self.per_channel = "per_channel" in str(dq.target)
        self.stored: torch.Tensor = getattr(gm, dq.args[0].target)
        prepared = stage(case, "prepared")
        weight = nodes_of(prepared)[case.name].args[1].args[0]
        self.before: torch.Tensor = prepared.get_parameter(weight.target).detach()
        if self.per_channel:
            self.scale, self.zero = (getattr(gm, a.target).double() for a in dq.args[1:3])
        else:
            self.scale, self.zero = (torch.tensor([v], dtype=torch.float64) for v in dq.args[1:3])
        self.axis = dq.args[3] if self.per_channel else 0

    def lie(self, values: "torch.Tensor", axis: int | None = None) -> "torch.Tensor":
        """Return one value for each channel, shaped to lie along an axis of the weight."""
        shape = [1] * self.stored.dim()
        shape[self.axis if axis is None else axis] = -1
        return values.reshape(shape)

    def weight(self, axis: int | None = None, sign: int = -1, whole: bool = True) -> "torch.Tensor":
        """(q + sign · zero point) · scale, along an axis; `whole`: computed in float, so that nothing overflows."""
        import torch

        zero, scale = self.lie(self.zero, axis), self.lie(self.scale, axis)
        shifted = self.stored.double() + sign * zero
        if not whole:
            shifted = (self.stored + (sign * zero).to(torch.int8)).double()
        return shifted * scale

    def others(self) -> "list[torch.Tensor]":
        """The weights of the other convolutions and linears."""
        found: list[torch.Tensor] = []
        if self.case.get("other"):
            return found
        for name, node in nodes_of(stage(self.case, "converted")).items():
            second = node.args[1] if len(node.args) > 1 else None
            if name != self.case.name and "dequantize" in str(getattr(second, "target", "")):
                values = {k: v for k, v in self.case.items() if k != "name"}
                source: Any = second
                if source.args[0].op == "get_attr":
                    found.append(_Parts(Case(**values | {"name": name, "other": True})).weight())
        return found

    def wrong(self) -> "dict[str, torch.Tensor | None]":
        """What the known wrong ideas give for this weight."""
        others = [a for a in range(self.stored.dim()) if a != self.axis and self.stored.shape[a] == len(self.scale)]
        one = (self.stored.double() - self.zero.flatten()[0]) * self.scale.flatten()[0]
        other = [self.weight(axis=a) for a in others if self.per_channel]
        zero_axis = next((self.weight(axis=a) for a in others if a == 0 and self.per_channel), None)
        return {
            "divided": (self.stored.double() - self.lie(self.zero)) / self.lie(self.scale),
            "float-weight": self.before.double(),
            "integers": self.stored.double(),
            "no-zero-point": self.weight(sign=0),
            "zero-point-added": self.weight(sign=1),
            "minus-after": self.weight(sign=0) - self.lie(self.zero),
            "int8-overflow": self.weight(whole=False),
            "axis-0-only": zero_axis,
            "wrong-axis": next(iter(other), None),
            "one-scale": one,
        }
