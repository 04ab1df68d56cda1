"""From an fx.GraphModule to the plain facts that `picture_from_facts` takes, and so to a Picture.

Only looking: nothing in the graph or in an observer changes, and an observer that raises costs its own line only.
torch is loaded when a function is called.
"""

import contextlib
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from common.viz.picture import Picture, picture_from_facts

if TYPE_CHECKING:
    from torch import fx

MANY = 4096
"""Scales beyond this number are not copied out: no picture shows them."""


def picture_of(gm: "fx.GraphModule") -> Picture:
    """Return the Picture of a graph as it is now (later changes of the graph do not reach it).

    Raises:
        TypeError: `gm` is no fx.GraphModule.
    """
    return picture_from_facts(*_graph_facts(gm))


def _graph_facts(gm: "fx.GraphModule") -> tuple[list[dict[str, Any]], dict[str, Any]]:
    import torch
    from torch import fx

    if not isinstance(gm, fx.GraphModule):
        raise TypeError(f"a picture needs an fx.GraphModule (as export_module returns); got {type(gm).__name__}")
    nodes: list[dict[str, Any]] = []
    modules: dict[str, Any] = {}
    with torch.no_grad():
        for n in gm.graph.nodes:
            facts = {"name": n.name, "op": n.op, "target": _target_text(n), "args": _plain(n.args)}
            facts["kwargs"] = _plain(n.kwargs)
            if n.op == "get_attr":
                facts |= _attribute_facts(gm, str(n.target))
            elif n.op == "call_module":
                with contextlib.suppress(AttributeError):
                    modules[str(n.target)] = module_facts(gm.get_submodule(str(n.target)))
            nodes.append(facts)
    return nodes, modules


def _target_text(node: "fx.Node") -> str:
    target = node.target
    if isinstance(target, str) or hasattr(target, "overloadpacket"):
        return str(target)
    return f"{getattr(target, '__module__', '')}.{getattr(target, '__name__', target)}"


def _plain(value: object) -> Any:
    """Return arguments as plain data, nodes as ``{"node": name}``, anything unknown as text."""
    from torch import fx

    if isinstance(value, fx.Node):
        return {"node": value.name}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if isinstance(value, slice):
        return [_plain(v) for v in (value.start, value.stop, value.step)]
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def _attribute_facts(gm: "fx.GraphModule", target: str) -> dict[str, Any]:
    import torch

    value: object = gm
    for part in target.split("."):
        if not hasattr(value, part):
            return {"exists": False}
        value = getattr(value, part)
    if not isinstance(value, torch.Tensor):
        return {}
    facts: dict[str, Any] = {"shape": list(value.shape)}
    if value.numel() == 1:
        with contextlib.suppress(Exception):
            facts["value"] = value.item()
    return facts


def module_facts(module: Any) -> dict[str, Any]:
    """Return what a picture says about a module: its class, and for observers and fake quants their qparams."""
    from common.pt2e import FakeQuantizeBase, ObserverBase

    facts: dict[str, Any] = {"type": type(module).__name__, "role": "module"}
    if isinstance(module, FakeQuantizeBase):
        facts["role"] = "fake_quant"
        facts["observer_on"] = _switch(module, "observer_enabled")
        facts["fake_quant_on"] = _switch(module, "fake_quant_enabled")
        inner = getattr(module, "activation_post_process", None)
        # What forward uses are the scale and zero point kept in the fake quant, not those of its observer.
        facts |= _layout(module) | _buffers(module)
        if _has_seen(inner) is False and facts.get("scale") in ([1.0], None):
            facts["seen"] = False
    elif isinstance(module, ObserverBase):
        facts["role"] = "observer"
        facts |= _layout(module)
        seen = _has_seen(module)
        facts |= {"seen": False} if seen is False else _computed(module)
    return facts


def _switch(module: Any, name: str) -> bool | None:
    try:
        return bool(getattr(module, name)[0])
    except Exception:  # a student's class may keep its switches in another way
        return None


def _layout(module: Any) -> dict[str, Any]:
    per_channel = "per_channel" in str(getattr(module, "qscheme", ""))
    return {"per_channel": per_channel} | ({"ch_axis": getattr(module, "ch_axis", None)} if per_channel else {})


def _has_seen(observer: Any) -> bool | None:
    """Whether an observer has seen data: its minimum is set. None where it keeps no minimum."""
    import torch

    low = getattr(observer, "min_val", False)
    if low is None:
        return False
    if not isinstance(low, torch.Tensor):
        return None
    return low.numel() > 0 and not bool(torch.isinf(low).all())


def _buffers(module: Any) -> dict[str, Any]:
    return _numbers(getattr(module, "scale", None), getattr(module, "zero_point", None))


def _computed(observer: Any) -> dict[str, Any]:
    """Ask an observer for its qparams. A student's class may raise anything: then there are none to show."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scale, zero_point = observer.calculate_qparams()
            return _numbers(scale, zero_point)
    except Exception:
        return {}


def _numbers(scale: object, zero_point: object) -> dict[str, Any]:
    import torch

    found = {}
    for key, value in (("scale", scale), ("zero_point", zero_point)):
        if isinstance(value, torch.Tensor) and value.numel() <= MANY:
            found[key] = value.detach().flatten().tolist()
    return found
