"""The rules of this lesson as a reference, and what a prepared graph says about them."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from common.checks._nets import exported
from common.checks.m03_1 import _labels as lb
from common.exercise.base import Case

if TYPE_CHECKING:
    from torch import fx

TARGETS = {
    "aten.conv2d.default": "conv",
    "aten.linear.default": "linear",
    "aten.add.Tensor": "add",
    "aten.add_.Tensor": "add",
    "aten.relu.default": "relu",
    "aten.relu_.default": "relu",
}
"""Kind of an operation by its target."""

OBSERVERS: dict[str, Any] = {
    "type": "array",
    "maxItems": 500,
    "items": {
        "type": "object",
        "required": ["reads", "settings"],
        "properties": {"reads": {"type": "string"}, "settings": {"type": "object"}},
    },
}
"""JSON Schema of `observer_facts`."""

Kind = Callable[[Any], str | None]


def kind_of(node: Any) -> str | None:
    """Return "conv", "linear", "add" or "relu" for a node that the rules know, and None for others."""
    return TARGETS.get(str(node.target)) if node.op == "call_function" else None


def kind_by_name(node: Any) -> str | None:
    """What somebody would take a node for who goes by its name."""
    if node.op != "call_function":
        return None
    return TARGETS.get(f"aten.{re.sub(r'_[0-9]+$', '', node.name)}.default", "add" if "add" in node.name else None)


def weight_or_bias(name: str) -> str | None:
    """Whether a name ends like that of a weight or of a bias."""
    return next((word for word in ("weight", "bias") if name.endswith(word)), None)


def make_specs(name: str) -> tuple[Any, Any]:
    """Return the specs of activations and weights that a case names."""
    import torch

    import common.pt2e as pt2e

    affine = torch.per_tensor_affine
    make = pt2e.QuantizationSpec
    if name == "int8":
        return (
            make(torch.int8, pt2e.MinMaxObserver, -128, 127, affine),
            make(torch.int8, pt2e.PerChannelMinMaxObserver, -127, 127, torch.per_channel_symmetric, ch_axis=0),
        )
    if name == "uint8":
        return (
            make(torch.uint8, pt2e.HistogramObserver, 0, 255, affine),
            make(torch.int8, pt2e.MinMaxObserver, -127, 127, torch.per_tensor_symmetric),
        )
    raise ValueError(f"there are no specs {name!r}")


@dataclass(frozen=True)
class Unit:
    """One op, or an op and the relu that nobody else reads: the values between them do not exist as integers."""

    kind: str
    core: Any
    relu: Any

    @property
    def end(self) -> Any:
        """The node whose output is the unit's output."""
        return self.relu or self.core


def units(gm: "fx.GraphModule", kind: Kind = kind_of) -> list[Unit]:
    """Return the units of a graph without observers, in graph order."""
    found: list[Unit] = []
    for node in gm.graph.nodes:
        if kind(node) in ("conv", "linear", "add"):
            readers = list(node.users)
            fused = len(readers) == 1 and kind(readers[0]) == "relu"
            found.append(Unit(str(kind(node)), node, readers[0] if fused else None))
    return found


def labels_for(gm: "fx.GraphModule", kind: Kind = kind_of) -> list[tuple[str, ...]]:
    """Return the labels that the rules give, in the form of `_labels.put`; those of weights end with "weight"."""
    from torch import fx

    found: list[tuple[str, ...]] = []
    for unit in units(gm, kind):
        core = unit.core
        for position, read in enumerate(core.args[:2]):
            if isinstance(read, fx.Node):
                weight = unit.kind != "add" and position == 1
                found.append(("edge", read.name, core.name, *(["weight"] if weight else [])))
        found.append(("out", unit.end.name))
    return found


def graph_of(case: Case) -> "fx.GraphModule":
    """Return the exported net of a case; `swap` lists pairs of nodes that exchange their names."""
    gm = exported(case.model, case.seed)
    for one, other in case.get("swap") or ():
        nodes = {n.name: n for n in gm.graph.nodes}
        nodes[one].name, nodes[other].name = other, one
    gm.recompile()
    return gm


def prepared(case: Case, labels: Callable[["fx.GraphModule"], Sequence[tuple[str, ...]]]) -> "fx.GraphModule":
    """Return the net of a case after prepare_pt2e with these labels, which are made for the folded graph."""
    from common.pt2e import Quantizer, prepare_pt2e

    activation, weight = make_specs(case.specs)

    class _Reference(Quantizer):
        def annotate(self, model: Any) -> Any:
            lb.put(labels(model), activation, {"weight": weight})({n.name: n for n in model.graph.nodes})
            return model

        def validate(self, model: Any) -> None:
            return None

    return prepare_pt2e(graph_of(case), _Reference())


def with_packets(gm: "fx.GraphModule") -> "fx.GraphModule":
    """Put the packet in the place of each target, which is an overload. Such a graph is for reading only."""
    for node in gm.graph.nodes:
        node.target = getattr(node.target, "overloadpacket", node.target)
    return gm


def settings_of(observer: Any) -> dict[str, Any]:
    """Return class, type, range, scheme and axis of an observer as plain data."""
    fields = ("dtype", "quant_min", "quant_max", "qscheme", "ch_axis")
    return {"class": type(observer).__name__} | {f: str(getattr(observer, f, None)) for f in fields}


def observer_facts(gm: "fx.GraphModule") -> list[dict[str, Any]]:
    """Return for each observer of a prepared graph which node it reads, and its settings."""
    from common.graph_utils import observer_nodes

    return [{"reads": str(n.args[0]), "settings": settings_of(o)} for n, o in observer_nodes(gm)]


def settings_by_value(facts: Sequence[Mapping[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Return the settings of all observers of each value."""
    found: dict[str, list[dict[str, Any]]] = {}
    for entry in facts:
        found.setdefault(entry["reads"], []).append(dict(entry["settings"]))
    return found
