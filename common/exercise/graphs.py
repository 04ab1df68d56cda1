"""fx graphs as plain facts, and back again.

`graph_facts` runs in the student's process and says what is there, even where the graph is broken.
`GraphFacts` is how a judge reads it; `rebuild` makes a graph again from known operators only.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch
    from torch import fx, nn

_OPS = {"placeholder", "get_attr", "call_function", "call_module", "call_method", "output"}

GRAPH: dict[str, Any] = {
    "type": "object",
    "required": ["nodes", "modules"],
    "properties": {
        "nodes": {
            "type": "array",
            "maxItems": 5000,
            "items": {
                "type": "object",
                "required": ["name", "op", "target", "args", "kwargs"],
                "properties": {
                    "name": {"type": "string", "maxLength": 200},
                    "op": {"enum": sorted(_OPS)},
                    "target": {"type": "string", "maxLength": 300},
                    "args": {"type": "array"},
                    "kwargs": {"type": "object"},
                },
            },
        },
        "modules": {
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "required": ["type"],
                "properties": {"type": {"type": "string"}},
            },
        },
    },
}
"""JSON Schema of one recorded graph."""


class MalformedEvidence(ValueError):
    """Evidence that does not say what its schema promises."""


def graph_facts(gm: "fx.GraphModule") -> dict[str, Any]:
    """Return nodes and called modules of a graph as plain data; references to nodes as ``{"node": name}``.

    `modules` has an entry for each call_module target that is really there: the name of its class,
    where that class comes from, and `same_as`, the first target that holds the same object.
    """
    nodes = [
        {
            "name": n.name,
            "op": n.op,
            "target": n.target if isinstance(n.target, str) else str(n.target),
            "args": [_plain(a) for a in n.args],
            "kwargs": {k: _plain(v) for k, v in n.kwargs.items()},
        }
        for n in gm.graph.nodes
    ]
    modules: dict[str, Any] = {}
    first: dict[int, str] = {}
    for n in gm.graph.nodes:
        if n.op != "call_module" or n.target in modules:
            continue
        try:
            module = gm.get_submodule(n.target)
        except AttributeError:
            continue
        kind = type(module)
        same_as = first.setdefault(id(module), n.target)
        modules[n.target] = {"type": kind.__name__, "from": kind.__module__, "same_as": same_as}
    return {"nodes": nodes, "modules": modules}


def _plain(value: Any) -> Any:
    from torch import fx

    if isinstance(value, fx.Node):
        return {"node": value.name}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return {"other": str(value)}  # dtypes, devices, memory formats: their name


@dataclass(frozen=True)
class NodeFacts:
    """One node of a recorded graph."""

    name: str
    op: str
    target: str
    args: list[Any]
    kwargs: dict[str, Any]

    @property
    def inputs(self) -> list[str]:
        """Names of the nodes it reads, in order, as often as they stand there."""
        found: list[str] = []

        def walk(value: Any) -> None:
            if isinstance(value, Mapping):
                if set(value) == {"node"}:
                    found.append(str(value["node"]))
                else:
                    for v in value.values():
                        walk(v)
            elif isinstance(value, list):
                for v in value:
                    walk(v)

        walk(self.args)
        walk(self.kwargs)
        return found


class GraphFacts:
    """A recorded graph, for reading. Nothing in it is trusted: names may repeat or dangle."""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.raw = raw
        self.nodes = [NodeFacts(n["name"], n["op"], n["target"], n["args"], n["kwargs"]) for n in raw["nodes"]]
        self.modules: Mapping[str, Mapping[str, Any]] = raw["modules"]
        self.by_name = {n.name: n for n in self.nodes}
        if len(self.by_name) != len(self.nodes):
            raise MalformedEvidence("two nodes of one graph have the same name")

    def users(self, name: str) -> list[str]:
        """Names of the nodes that read node `name`, in graph order."""
        return [n.name for n in self.nodes if name in n.inputs]

    def position(self, name: str) -> int:
        """Place of a node in graph order, from 0."""
        return next(i for i, n in enumerate(self.nodes) if n.name == name)

    def calls(self, target: str) -> list[NodeFacts]:
        """The call_module nodes that call `target`."""
        return [n for n in self.nodes if n.op == "call_module" and n.target == target]


def rebuild(facts: GraphFacts, base: "fx.GraphModule", modules: Mapping[str, "nn.Module"]) -> "fx.GraphModule":
    """Make a runnable graph from recorded facts, with the judge's own weights and modules.

    Only operators of `base` and of ``quantized_decomposed`` are allowed; parameters come from `base`;
    each call_module target must be a key of `modules`. `base` is left as it was.

    Raises:
        MalformedEvidence: an unknown operator or parameter, or a node that is read before it is made.
    """
    import copy

    from torch import fx

    known = {str(n.target): n.target for n in base.graph.nodes if n.op == "call_function"}
    parameters = {str(n.target) for n in base.graph.nodes if n.op == "get_attr"}
    root = copy.deepcopy(base)
    for target, module in modules.items():
        if "." not in target:
            root.add_submodule(target, copy.deepcopy(module))
    graph = fx.Graph()
    graph.set_codegen(copy.deepcopy(base.graph._codegen))  # how inputs and outputs are packed
    made: dict[str, fx.Node] = {}

    def real(value: Any) -> Any:
        if isinstance(value, Mapping):
            if set(value) == {"node"}:
                if value["node"] not in made:
                    raise MalformedEvidence(f"node {value['node']!r} is read before it is made")
                return made[value["node"]]
            if set(value) == {"other"}:
                return _named_constant(str(value["other"]))
            return {k: real(v) for k, v in value.items()}
        return [real(v) for v in value] if isinstance(value, list) else value

    for n in facts.nodes:
        target: Any = n.target
        if n.op == "call_function":
            target = known.get(n.target) or _quantized_op(n.target)
        if n.op == "call_module" and n.target == "_guards_fn":
            continue  # checks of the example shapes; it computes nothing
        if (n.op == "call_module" and n.target not in modules) or (n.op == "get_attr" and n.target not in parameters):
            target = None
        if target is None or n.op == "call_method":
            raise MalformedEvidence(f"node {n.name!r} calls {n.target!r}, which is not part of this exercise")
        kwargs = {k: real(v) for k, v in n.kwargs.items()}  # an argument may be called "other" or "node"
        made[n.name] = graph.create_node(n.op, target, tuple(real(a) for a in n.args), kwargs, name=n.name)
    return fx.GraphModule(root, graph)


def run_facts(
    facts: GraphFacts, base: "fx.GraphModule", modules: Mapping[str, "nn.Module"], inputs: "tuple[torch.Tensor, ...]"
) -> "torch.Tensor":
    """Rebuild a recorded graph (see `rebuild`) and run it on the judge's own inputs, without gradients.

    Raises:
        MalformedEvidence: it cannot be rebuilt, or it does not run.
    """
    import torch

    try:
        with torch.no_grad():
            return rebuild(facts, base, modules)(*inputs)
    except MalformedEvidence:
        raise
    except Exception as error:  # arguments come from the evidence: anything may be wrong with them
        raise MalformedEvidence(f"the recorded graph does not run: {type(error).__name__}") from None


def _quantized_op(name: str) -> Any:
    import torch

    parts = name.split(".")
    if len(parts) != 3 or parts[0] != "quantized_decomposed":
        return None
    packet = getattr(torch.ops.quantized_decomposed, parts[1], None)
    return getattr(packet, parts[2], None)


def _named_constant(name: str) -> Any:
    import torch

    kind, _dot, attribute = name.partition(".")
    value = getattr(torch, attribute, None) if kind == "torch" else None
    if not isinstance(value, (torch.dtype, torch.layout, torch.memory_format)):
        raise MalformedEvidence(f"unknown constant {name!r}")
    return value
