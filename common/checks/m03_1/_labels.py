"""Labels (annotations) as plain facts, and which edges prepare_pt2e observes because of them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from common.checks._nets import exported
from common.exercise.graphs import GraphFacts

if TYPE_CHECKING:
    from torch import fx

Edges = set[tuple[str, str]]
"""Names (producer, consumer)."""

GUARDS = "_guards_fn"
"""A node of every exported graph that checks the shapes of inputs: whether it reads an observer does not matter."""

_SPEC = {"anyOf": [{"type": "null"}, {"type": "object", "required": ["type"]}]}

LABELS: dict[str, Any] = {
    "type": "array",
    "maxItems": 500,
    "items": {
        "type": "object",
        "required": ["node", "type", "same_as", "keys", "output"],
        "properties": {
            "map": {"type": "string"},
            "node": {"type": "string"},
            "type": {"type": "string"},
            "same_as": {"type": "integer"},
            "output": _SPEC,
            "keys": {
                "type": "array",
                "maxItems": 100,
                "items": {
                    "type": "object",
                    "required": ["name", "kind", "spec"],
                    "properties": {"name": {"type": "string"}, "kind": {"type": "string"}, "spec": _SPEC},
                },
            },
        },
    },
}
"""JSON Schema of `labels_of`."""

_SPECS = {
    "int8": ("int8", -128, 127, "per_tensor_affine", "MinMaxObserver"),
    "narrow": ("int8", -7, 7, "per_tensor_symmetric", "HistogramObserver"),
    "uint8": ("uint8", 0, 255, "per_tensor_affine", "MovingAverageMinMaxObserver"),
}


def make_spec(name: str) -> Any:
    """Return the QuantizationSpec that a case names."""
    import torch

    import common.pt2e as pt2e

    dtype, low, high, scheme, observer = _SPECS[name]
    return pt2e.QuantizationSpec(
        dtype=getattr(torch, dtype),
        quant_min=low,
        quant_max=high,
        qscheme=getattr(torch, scheme),
        observer_or_fake_quant_ctr=getattr(pt2e, observer),
    )


def spec_facts(spec: Any) -> dict[str, Any] | None:
    """Return the settings of a spec as plain data; of anything else only its type."""
    from common.pt2e import QuantizationSpec

    if spec is None:
        return None
    if not isinstance(spec, QuantizationSpec):
        return {"type": type(spec).__name__}
    make = spec.observer_or_fake_quant_ctr
    partial = getattr(make, "p", None)
    fields = ("dtype", "quant_min", "quant_max", "qscheme", "ch_axis", "is_dynamic")
    return {
        "type": "QuantizationSpec",
        "observer": getattr(getattr(partial, "func", make), "__name__", "?"),
        "arguments": str(getattr(partial, "keywords", {})),
    } | {f: str(getattr(spec, f)) for f in fields}


def labels_of(gm: "fx.GraphModule") -> list[dict[str, Any]]:
    """Return what stands under ANNOTATION_KEY in the nodes of a graph, in graph order."""
    from torch import fx

    from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation

    found: list[dict[str, Any]] = []
    first: dict[int, int] = {}
    for node in gm.graph.nodes:
        if ANNOTATION_KEY not in node.meta:
            continue
        label = node.meta[ANNOTATION_KEY]
        same_as = first.setdefault(id(label), len(found))
        entry = {"node": node.name, "type": type(label).__name__, "same_as": same_as, "keys": [], "output": None}
        if isinstance(label, QuantizationAnnotation):
            entry["type"] = "QuantizationAnnotation"
            entry["output"] = spec_facts(label.output_qspec)
            keys = label.input_qspec_map if isinstance(label.input_qspec_map, Mapping) else {}
            if keys is not label.input_qspec_map:
                entry["map"] = type(label.input_qspec_map).__name__
            for key, spec in keys.items():
                kind = "node" if isinstance(key, fx.Node) else type(key).__name__
                if isinstance(key, fx.Node) and key.graph is not node.graph and key not in node.all_input_nodes:
                    kind = "node of another graph"
                entry["keys"].append({"name": str(key)[:200], "kind": kind, "spec": spec_facts(spec)})
        found.append(entry)
    return found


def prepared(model: str, seed: int, annotate: Callable[[dict[str, Any]], None]) -> "fx.GraphModule":
    """Return a net after prepare_pt2e; `annotate` is given its nodes by name, and writes the labels."""
    from common.pt2e import Quantizer, prepare_pt2e

    class _Own(Quantizer):
        def annotate(self, model: Any) -> Any:
            annotate({n.name: n for n in model.graph.nodes})
            return model

        def validate(self, model: Any) -> None:
            return None

    return prepare_pt2e(exported(model, seed), _Own())


def put(labels: Iterable[Sequence[str]], spec: Any, others: Mapping[str, Any] | None = None) -> Callable[..., None]:
    """Return a function that writes labels: ("out", name), ("edge", producer, consumer).

    One more word at the end of a label names another spec, to be found in `others`.
    """

    def annotate(nodes: dict[str, Any]) -> None:
        from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation

        for label in labels:
            names = label[1:2] if label[0] == "out" else label[1:3]
            rest = label[1 + len(names) :]
            chosen = (others or {})[rest[0]] if rest else spec
            note = nodes[names[-1]].meta.setdefault(ANNOTATION_KEY, QuantizationAnnotation())
            if label[0] == "out":
                note.output_qspec = chosen
            else:
                note.input_qspec_map[nodes[names[0]]] = chosen

    return annotate


def put_facts(labels: Sequence[Mapping[str, Any]], spec: Any) -> Callable[[dict[str, Any]], None]:
    """Return a function that writes recorded labels again, on the judge's own graph."""
    wanted: list[tuple[str, ...]] = []
    for entry in labels:
        if entry["output"] is not None:
            wanted.append(("out", entry["node"]))
        wanted += [("edge", k["name"], entry["node"]) for k in entry["keys"] if k["kind"] == "node" and k["spec"]]

    def annotate(nodes: dict[str, Any]) -> None:
        put([w for w in wanted if all(name in nodes for name in w[1:])], spec)(nodes)

    return annotate


def observed(gm: "fx.GraphModule") -> Edges:
    """Return the edges (producer, consumer) on which the consumer reads an observed value, `_guards_fn` apart."""
    from common.graph_utils import observer_nodes

    observers = {node for node, _module in observer_nodes(gm)}
    found: Edges = set()
    for consumer in gm.graph.nodes:
        if consumer in observers or consumer.name == GUARDS:
            continue
        for read in consumer.all_input_nodes:
            producer: Any = read
            while producer in observers:
                producer = producer.args[0]
            if producer is not read:
                found.add((producer.name, consumer.name))
    return found


def observers_in(after: GraphFacts) -> set[str]:
    """Return the names of the nodes of a recorded graph that call an observer or a fake quant."""
    kinds = ("Observer", "FakeQuantize")
    calls = (n for n in after.nodes if n.op == "call_module")
    return {n.name for n in calls if str(after.modules.get(n.target, {}).get("type", "")).endswith(kinds)}


def observed_in(after: GraphFacts) -> Edges:
    """The same as `observed`, for a recorded graph."""
    observers, found = observers_in(after), set()
    for consumer in after.nodes:
        if consumer.name in observers or consumer.name == GUARDS:
            continue
        for read in consumer.inputs:
            producer, steps = read, 0
            while producer in observers and after.by_name[producer].inputs and steps < len(after.nodes):
                producer, steps = after.by_name[producer].inputs[0], steps + 1
            if producer != read:
                found.add((producer, consumer.name))
    return found


def observers_behind(after: GraphFacts, edges: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return the observers of a recorded graph that stand directly behind the producers of these edges."""
    producers = {producer for producer, _consumer in edges}
    observers = observers_in(after)
    return tuple(n.name for n in after.nodes if n.name in observers and producers & set(n.inputs))


def wrong_form(labels: Sequence[Mapping[str, Any]]) -> tuple[str, str] | None:
    """Return (misconception, symptom) where labels are not what prepare_pt2e can read."""
    if any(entry["type"] != "QuantizationAnnotation" for entry in labels):
        return "not-an-annotation", "What stands in a node's meta is not a QuantizationAnnotation."
    if any("map" in entry for entry in labels):
        return "spec-as-map", "The `input_qspec_map` of an annotation is no dict."
    kinds = {key["kind"] for entry in labels for key in entry["keys"]} - {"node"}
    if "node of another graph" in kinds:
        return "on-a-copy", "A key of an `input_qspec_map` is a node of another graph."
    if "str" in kinds:
        return "key-is-a-name", "A key of an `input_qspec_map` is not a node of the graph."
    if kinds:
        return "key-of-another-type", f"A key of an `input_qspec_map` is no node, but a {sorted(kinds)[0]}."
    return None


class CopyNoted:
    """An attribute that notices when the object that holds it is deep-copied."""

    def __init__(self) -> None:
        self.copies = 0

    def __deepcopy__(self, memo: Any) -> "CopyNoted":
        self.copies += 1
        return CopyNoted()


def misplaced(gm: "fx.GraphModule") -> list[str]:
    """Where else than under ANNOTATION_KEY annotations stand in a graph."""
    from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation

    found = []
    for node in gm.graph.nodes:
        for key, value in node.meta.items():
            if key != ANNOTATION_KEY and isinstance(value, QuantizationAnnotation):
                found.append(f"{node.name}.meta[{key!r}]")
        for key, value in vars(node).items():
            if isinstance(value, QuantizationAnnotation):
                found.append(f"{node.name}.{key}")
    return [text[:200] for text in found[:10]]


FORMS = {
    "spec-as-map": "The first field of a QuantizationAnnotation is `input_qspec_map`, a dict for the inputs. A label on the "
    "output is given by its name: `QuantizationAnnotation(output_qspec=spec)`.",
    "key-of-another-type": "The key is one node, the producer. Its consumer is the node on which the annotation stands, so it "
    "is not named again.",
}
"""Misconceptions that `wrong_form` finds in all exercises that write labels."""


def consumer_keys(labels: Sequence[Mapping[str, Any]], edge: tuple[str, str]) -> bool:
    """Whether the label of an edge stands there with the consumer as its key, on either of its nodes."""
    return any(
        entry["node"] in edge and any(key["kind"] == "node" and key["name"] == edge[1] for key in entry["keys"])
        for entry in labels
    )


def specs_in(labels: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Return the facts of all specs in labels; None, which says "not this place", is left out."""
    outputs = [entry["output"] for entry in labels]
    edges = [key["spec"] for entry in labels for key in entry["keys"]]
    return [spec for spec in outputs + edges if spec is not None]
