"""Reading scales and zero points of prepared and converted graphs; called by probes and judges alike."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch
    from torch import fx

    QParams = list[tuple[torch.Tensor, torch.Tensor]]

MOST = 60
"""More places than any net of the exercises has."""


def observer_qparams(prepared: "fx.GraphModule") -> "tuple[QParams, list[bool]]":
    """Return ``(scale, zero point)`` of each observer, in graph order, and whether it has seen data."""
    import torch

    from common.graph_utils import observer_nodes

    found, has_data = [], []
    for _node, observer in observer_nodes(prepared)[:MOST]:
        found.append(tuple(observer.calculate_qparams()))
        smallest = getattr(observer, "min_val", torch.empty(0))
        has_data.append(bool(smallest.numel()) and bool(torch.isfinite(smallest).all()))
    return found, has_data


def converted_qparams(quantized: "fx.GraphModule") -> "QParams":
    """Return ``(scale, zero point)`` of each dequantize node, in graph order, as tensors."""
    from common.graph_utils import qdq_nodes, short

    nodes = [n for n in qdq_nodes(quantized) if short(n.target).startswith("dequantize")]
    return [(_value(quantized, n.args[1]), _value(quantized, n.args[2])) for n in nodes[:MOST]]


def same_qparams(found: "QParams", wanted: "QParams") -> bool:
    """Whether two lists of qparams agree: scales to 0.01 %, zero points to 1 (rounding at a tie)."""
    return len(found) == len(wanted) and all(
        a.numel() == b.numel() and _near(a, b, rtol=1e-4, atol=0.0) and _near(zero_a, zero_b, rtol=0.0, atol=1.0)
        for (a, zero_a), (b, zero_b) in zip(found, wanted, strict=True)
    )


def _near(a: "torch.Tensor", b: "torch.Tensor", rtol: float, atol: float) -> bool:
    import torch

    return a.numel() == b.numel() and torch.allclose(a.flatten().double(), b.flatten().double(), rtol=rtol, atol=atol)


def _value(gm: "fx.GraphModule", value: Any) -> "torch.Tensor":
    """A qparam as a tensor, whether it stands in the graph as a number or as a get_attr."""
    import torch

    if not hasattr(value, "target"):
        return torch.tensor(value)
    found: Any = gm
    for name in str(value.target).split("."):
        found = getattr(found, name)
    return found
