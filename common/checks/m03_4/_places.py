"""Which observer object stands at which place, the quantizers to begin with, and specs by name."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from common.checks.m03_1._labels import GUARDS, observers_in
from common.exercise.graphs import GraphFacts, graph_facts

if TYPE_CHECKING:
    from torch import fx

    from common.pt2e import Quantizer

Reads = dict[tuple[str, str], tuple[str, ...]]
"""(producer, consumer) → the observer objects between them, the first one next to the producer."""

SETTINGS = ("dtype", "quant_min", "quant_max", "qscheme", "ch_axis")

_TARGETS = {
    "cat": "cat.default",
    "max_pool2d": "max_pool2d.default",
    "adaptive_avg_pool2d": "adaptive_avg_pool2d.default",
    "flatten": "flatten.using_ints",
    "pixel_shuffle": "pixel_shuffle.default",
    "maximum": "maximum.default",
    "minimum": "minimum.default",
}


def targets_of(names: Sequence[str]) -> tuple[Any, ...]:
    """Return the ops (overloads) that a case names."""
    import torch

    found = []
    for name in names:
        packet, _dot, overload = _TARGETS[name].partition(".")
        found.append(getattr(getattr(torch.ops.aten, packet), overload))
    return tuple(found)


def weight_spec(per_channel: bool = True, axis: int = 0) -> Any:
    """Return the spec of a weight: int8 from -127, symmetric."""
    import torch

    from common.pt2e import MinMaxObserver, PerChannelMinMaxObserver, QuantizationSpec

    return QuantizationSpec(
        dtype=torch.int8,
        quant_min=-127,
        quant_max=127,
        qscheme=torch.per_channel_symmetric if per_channel else torch.per_tensor_symmetric,
        ch_axis=axis if per_channel else None,
        observer_or_fake_quant_ctr=PerChannelMinMaxObserver if per_channel else MinMaxObserver,
    )


def layers(gm: "fx.GraphModule") -> "list[fx.Node]":
    """Return the nodes of a graph that read data, a weight and perhaps a bias."""
    import torch

    aten = torch.ops.aten
    known = (aten.conv2d.default, aten.linear.default, aten.conv_transpose2d.input)
    return [n for n in gm.graph.nodes if n.op == "call_function" and n.target in known]


def label_layers(gm: "fx.GraphModule", spec: Any, per_channel: bool = True) -> None:
    """Label data, weight and output of every layer; a relu that is its only reader carries the output label."""
    import torch

    from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation

    for node in layers(gm):
        data, weight = node.all_input_nodes[:2]
        axis = 1 if node.target is torch.ops.aten.conv_transpose2d.input else 0
        inputs: dict[Any, Any] = {data: spec, weight: weight_spec(per_channel, axis)}
        node.meta[ANNOTATION_KEY] = QuantizationAnnotation(input_qspec_map=inputs)
        users = [u for u in node.users if u.op != "output"]
        fused = len(node.users) == 1 and users and users[0].target is torch.ops.aten.relu.default
        last = users[0] if fused else node
        note = last.meta.setdefault(ANNOTATION_KEY, QuantizationAnnotation())
        note.output_qspec = spec


def base_quantizer(name: str, spec: Any) -> "Quantizer":
    """Return the quantizer to begin with: "layers" labels conv and linear, "nothing" labels nothing."""
    from common.pt2e import Quantizer

    class Layers(Quantizer):
        def annotate(self, model: Any) -> Any:
            if name == "layers":
                label_layers(model, spec)
            return model

        def validate(self, model: Any) -> None:
            return None

    return Layers()


def reads(graph: GraphFacts) -> Reads:
    """Return, for each edge between nodes that are no observers, the observer objects on it; `_guards_fn` is left out."""
    observers, found = observers_in(graph), {}
    for consumer in graph.nodes:
        if consumer.name in observers or consumer.name == GUARDS:
            continue
        for read in consumer.inputs:
            chain: list[str] = []
            producer = read
            while producer in observers and graph.by_name[producer].inputs and len(chain) < len(graph.nodes):
                target = graph.by_name[producer].target
                chain.insert(0, str(graph.modules[target].get("same_as", target)))
                producer = graph.by_name[producer].inputs[0]
            found[producer, consumer.name] = tuple(chain)
    return found


def facts_of(gm: "fx.GraphModule") -> GraphFacts:
    """Return a graph of the judge's own in the form in which evidence holds one."""
    return GraphFacts(graph_facts(gm))


def settings_of(gm: Any) -> dict[str, dict[str, str]]:
    """Return the settings of every observer in a graph, by the name under which it is called."""
    from common.graph_utils import observer_nodes

    return {
        str(node.target): {k: str(getattr(observer, k, None)) for k in SETTINGS} | {"class": type(observer).__name__}
        for node, observer in observer_nodes(gm)
    }


def expected_settings(spec: Any) -> dict[str, str]:
    """Return the settings of the observer that prepare_pt2e builds from a spec without a channel axis."""
    make = spec.observer_or_fake_quant_ctr
    fields = {k: str(getattr(spec, k)) for k in SETTINGS}
    return fields | {"class": getattr(make, "__name__", type(make).__name__)}


def same_ops(one: GraphFacts, other: GraphFacts) -> bool:
    """Whether two recorded graphs have the same nodes and edges, observers apart."""

    def rest(graph: GraphFacts) -> Any:
        observers = observers_in(graph)
        return [(n.name, n.op, n.target) for n in graph.nodes if n.name not in observers], set(reads(graph))

    return rest(one) == rest(other)


def kinds_of_label(gm: "fx.GraphModule") -> dict[str, dict[str, Any]]:
    """Return the class names of the specs that stand on each node: those of its inputs, and that of its output."""
    from common.pt2e import ANNOTATION_KEY

    found: dict[str, dict[str, Any]] = {}
    for node in gm.graph.nodes:
        label = node.meta.get(ANNOTATION_KEY)
        inputs = getattr(label, "input_qspec_map", None)
        specs = inputs.values() if isinstance(inputs, Mapping) else ()
        output = getattr(label, "output_qspec", None)
        entry = {
            "inputs": [type(spec).__name__ for spec in specs if spec is not None],
            "output": None if output is None else type(output).__name__,
        }
        if entry["inputs"] or entry["output"]:
            found[node.name] = entry
    return found


KINDS: dict[str, Any] = {
    "type": "object",
    "maxProperties": 500,
    "additionalProperties": {
        "type": "object",
        "required": ["inputs", "output"],
        "properties": {
            "inputs": {"type": "array", "items": {"type": "string"}, "maxItems": 100},
            "output": {"type": ["string", "null"]},
        },
    },
}
"""JSON Schema of `kinds_of_label`."""


def raised_by_library(exception: Mapping[str, Any] | None) -> bool:
    """Whether torch or torchao raised this by itself, and not inside a call from the student's code."""
    frames = (exception or {}).get("frames", [])
    return bool(frames) and frames[-1].startswith("torch") and not any(f.startswith("your cell") for f in frames)
