"""Q/DQ graphs, and graphs with integer ops in them, that the exercises of this lesson share."""

import copy
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from common.checks._nets import batches, exported
from common.exercise.base import Case

if TYPE_CHECKING:
    import torch
    from torch import fx


def quantized(case: Case) -> "fx.GraphModule":
    """Return the Q/DQ graph of a case, a copy of its own.

    The case names a `model`; and, where that matters, `quantizer` ("xnnpack", "x86", or "none": the fp32 graph),
    `per_channel`, and `per_tensor`: modules that get per-tensor weights all the same.
    """
    per_tensor = tuple(case.get("per_tensor", ()))
    once = _quantized_once(
        case.model, case.seed, case.get("quantizer", "xnnpack"), case.get("per_channel", True), per_tensor
    )
    return copy.deepcopy(once)


@lru_cache(maxsize=32)
def _quantized_once(
    model: str, seed: int, quantizer: str, per_channel: bool, per_tensor: tuple[str, ...]
) -> "fx.GraphModule":
    import torch

    from common.graph_utils import observer_nodes
    from common.pt2e import convert_pt2e, get_x86_quantizer, get_xnnpack_quantizer, prepare_pt2e

    gm = exported(model, seed)
    if quantizer == "none":
        return gm
    made: Any = get_x86_quantizer() if quantizer == "x86" else get_xnnpack_quantizer(is_per_channel=per_channel)[0]
    prepared = prepare_pt2e(gm, made)
    for node, _observer in observer_nodes(prepared):
        if str(node.args[0].target).removesuffix(".weight") in per_tensor:  # type: ignore[union-attr]
            prepared.add_submodule(str(node.target), _weight_observer())
    with torch.no_grad():
        for batch in batches(seed):
            prepared(*batch)
    return convert_pt2e(prepared)


def _weight_observer() -> Any:
    """An observer as XNNPACKQuantizer's config for weights per tensor asks for."""
    from common.pt2e import get_xnnpack_quantizer

    spec: Any = get_xnnpack_quantizer(is_per_channel=False)[0].global_config.weight  # type: ignore[union-attr]
    settings = {name: getattr(spec, name) for name in ("dtype", "quant_min", "quant_max", "qscheme")}
    return spec.observer_or_fake_quant_ctr.with_args(**settings)()


def set_qparams(quantize: "fx.Node", scale: Any, zero_point: Any) -> None:
    """Give a quantize node, and the dequantize nodes behind it, another scale and zero point."""
    for node in (quantize, *(u for u in quantize.users if "dequantize" in str(u.target))):
        node.args = (node.args[0], scale, zero_point, *node.args[3:])


def integer_graph(case: Case) -> "fx.GraphModule":
    """Return a graph with integer ops: written out as torchao's reference representation writes units.

    The rewriting itself takes seconds; this takes none, and the nodes are of the same form. With `renamed`, the names
    of the nodes tell nothing: an out_dtype node is called ``acc``, and another node ``out_dtype_…``.
    """
    gm = _integer_once(case.form, case.seed)
    gm = copy.deepcopy(gm)
    if case.get("renamed"):
        acc, other = 0, 0
        for node in list(gm.graph.nodes):
            if node.op == "call_function" and "out_dtype" in str(node.target):
                node._rename(f"acc_{acc}")
                acc += 1
            elif node.op == "call_function" and "mul" in str(node.target):
                node._rename(f"out_dtype_scale_{other}")
                other += 1
        gm.recompile()
    return gm


@lru_cache(maxsize=16)
def _integer_once(form: str, seed: int) -> "fx.GraphModule":
    import torch
    from torch import nn

    from common.pt2e import export_module

    def generator() -> "torch.Generator":
        return torch.Generator().manual_seed(seed)

    class Written(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            weight = torch.randint(-127, 128, (6, 6), generator=generator(), dtype=torch.int8)
            kernel = torch.randint(-127, 128, (6, 6, 1, 1), generator=generator(), dtype=torch.int8)
            self.register_buffer("weight", weight)
            self.register_buffer("kernel", kernel)
            self.register_buffer("bias", torch.randn(6, generator=generator()))

        def forward(self, x: "torch.Tensor") -> "torch.Tensor":
            return _FORMS[form](self, _quantize(x))

    return export_module(Written().eval(), (torch.randn(4, 6, 8, 6, generator=generator()),))


def _quantize(x: "torch.Tensor", scale: float = 0.03, zero_point: int = 5) -> "torch.Tensor":
    import torch

    return torch.clamp(torch.round(x / scale).to(torch.int32) + zero_point, -128, 127).to(torch.int8)


def _dequantize(x: "torch.Tensor", scale: float = 0.03, zero_point: int = 5) -> "torch.Tensor":
    import torch

    return (x.to(torch.float32) - zero_point) * scale


def _requantize(acc: "torch.Tensor", zero_point: int = 5) -> "torch.Tensor":
    import torch

    return torch.clamp(_in_int32("mul", acc, 0.002) + zero_point, -128, 127).to(torch.int8)


def _in_int32(op: str, *args: Any) -> "torch.Tensor":
    import torch
    from torch._higher_order_ops.out_dtype import out_dtype

    aten = torch.ops.aten
    ops: dict[str, Any] = {
        "mul": aten.mul.Tensor,
        "div": aten.div.Tensor,
        "linear": aten.linear.default,
        "convolution": aten.convolution.default,
    }
    return out_dtype(ops[op], torch.int32, *args)


def _linear(self: Any, x: "torch.Tensor") -> "torch.Tensor":
    import torch

    acc = _in_int32("linear", x.to(torch.int16) - 5, self.weight.to(torch.int16), None)
    return _requantize(acc + _in_int32("div", self.bias, 0.0006))


def _add(x: "torch.Tensor", y: "torch.Tensor") -> "torch.Tensor":
    import torch

    a = _in_int32("mul", x.to(torch.int32) - 5, 0.7)
    b = _in_int32("mul", y.to(torch.int32) - 5, 0.4)
    return torch.clamp(a + b + 5, -128, 127).to(torch.int8)


def _convolution(self: Any, x: "torch.Tensor") -> "torch.Tensor":
    import torch

    arguments = ([1, 1], [0, 0], [1, 1], False, [0, 0], 1)
    acc = _in_int32("convolution", x.to(torch.int16) - 5, self.kernel.to(torch.int16), None, *arguments)
    bias = _in_int32("div", self.bias, 0.0006)
    return _requantize(acc + bias.unsqueeze(-1).unsqueeze(-1))


def _fp32_linear(self: Any, x: "torch.Tensor") -> "torch.Tensor":
    """What a unit looks like that no pattern fits: arithmetic around an fp32 op."""
    import torch

    return _quantize(torch.nn.functional.linear(_dequantize(x), self.weight.to(torch.float32) * 0.01, self.bias))


_FORMS: dict[str, Callable[[Any, "torch.Tensor"], "torch.Tensor"]] = {
    "linear": lambda self, x: _dequantize(_linear(self, x)),
    "add": lambda self, x: _dequantize(_add(x, _fp32_linear(self, x))),
    "nothing": lambda self, x: _dequantize(_fp32_linear(self, x)),
    "two linears, add": lambda self, x: _dequantize(_add(_linear(self, _linear(self, x)), x)),
    "convolution": lambda self, x: _dequantize(_linear(self, _convolution(self, x))),
}


def pairs(value: Any) -> Iterator[tuple[list[str], bool] | None]:
    """Read what an answer calls a list of ``(ops, shared)``; None for an entry of another form."""
    for entry in value:
        ops, shared = entry if isinstance(entry, (tuple, list)) and len(entry) == 2 else (None, None)
        names = isinstance(ops, (tuple, list)) and all(isinstance(o, str) for o in ops)
        known = type(shared).__name__ in ("bool", "bool_")
        yield ([str(o) for o in ops] if ops else [], bool(shared)) if names and known else None
