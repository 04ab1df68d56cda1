"""What the three exercises share: recording a graph with its constants, and reading quantize and dequantize nodes in it."""

import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from common.exercise.evidence import TENSOR, Evidence, Recorder
from common.exercise.graphs import GRAPH, GraphFacts, MalformedEvidence, NodeFacts, graph_facts, run_facts

if TYPE_CHECKING:
    import torch
    from torch import fx

GUARDS = "_guards_fn"
MAX_CONSTANTS = 60
FACTS: dict[str, Any] = {
    "after": GRAPH,
    "constants": {"type": "array", "maxItems": MAX_CONSTANTS, "items": {"type": "string", "maxLength": 300}},
    **{f"constant:{i}": TENSOR for i in range(MAX_CONSTANTS)},
    "output": TENSOR,
}
"""The facts that `record` and the probes write."""

_ARGUMENTS = {
    "per_tensor": ("input", "scale", "zero_point", "quant_min", "quant_max", "dtype"),
    "per_channel": ("input", "scale", "zero_point", "axis", "quant_min", "quant_max", "dtype"),
}
_OTHER_NAMES = {"scales": "scale", "zero_points": "zero_point"}


def record(ev: Recorder, gm: "fx.GraphModule") -> None:
    """Record a changed graph and the tensors that its get_attr nodes read."""
    import torch

    ev.graph("after", gm)
    targets = list(dict.fromkeys(str(n.target) for n in gm.graph.nodes if n.op == "get_attr"))[:MAX_CONSTANTS]
    found = []
    for target in targets:
        value: Any = gm
        for part in target.split("."):
            value = getattr(value, part, None)
        if isinstance(value, torch.Tensor):
            ev.tensor(f"constant:{len(found)}", value)
            found.append(target)
    ev.fact("constants", found)


@dataclass(frozen=True)
class Op:
    """One quantize or dequantize node with its arguments; tensors among them are resolved."""

    node: NodeFacts
    quantizes: bool
    per_channel: bool
    source: str
    scale: "torch.Tensor | None"
    zero_point: "torch.Tensor | None"
    axis: Any
    limits: tuple[Any, Any]
    dtype: str
    raw_tensor: bool
    """Whether a tensor itself, or a list of its numbers, stands where only a number or a node can stand."""
    missing: tuple[str, ...]
    """Names of the get_attr nodes among the arguments behind which no tensor is stored."""


class View:
    """A recorded graph, read as quantize and dequantize nodes."""

    def __init__(self, evidence: Evidence) -> None:
        raw = evidence.graph("after").raw
        self.graph = GraphFacts({**raw, "nodes": [n | {"target": _overload(n["target"])} for n in raw["nodes"]]})
        names = evidence.facts.get("constants", [])
        self.constants = {name: evidence.tensor(f"constant:{i}") for i, name in enumerate(names)}

    def named_like(self, gm: "fx.GraphModule") -> "View":
        """The same graph, its nodes named as in `gm` where they can be paired from the output backwards.

        Who builds a new graph (`fx.Transformer`) gets other names for the same nodes. Observers of `gm`, and q and dq
        nodes of the view, are passed over.
        """
        own = graph_facts(gm)
        reference = GraphFacts({**own, "nodes": [n | {"target": _overload(n["target"])} for n in own["nodes"]]})
        if all(n.name in self.graph.by_name for n in reference.nodes if n.op == "call_function"):
            return self
        names: dict[str, str] = {}
        seen: set[tuple[str, str]] = set()
        ends = [[n for n in graph.nodes if n.op == "output"] for graph in (self.graph, reference)]
        pairs = list(zip(*([n.name for n in found] for found in ends), strict=False))
        while pairs:
            mine, other = pairs.pop()
            while (op := self.op(mine)) is not None and op.source in self.graph.by_name:
                mine = op.source
            while reference.by_name[other].op == "call_module" and reference.by_name[other].inputs:
                other = reference.by_name[other].inputs[0]
            a, b = self.graph.by_name.get(mine), reference.by_name[other]
            if a is None or (mine, other) in seen or (a.op, a.target) != (b.op, b.target):
                continue
            seen.add((mine, other))
            if names.setdefault(mine, other) != other:
                return self
            pairs += zip(a.inputs, b.inputs, strict=False)
        taken = set(names.values())
        if len(taken) < len(names):
            return self
        for node in self.graph.nodes:
            while node.name not in names and node.name in taken:
                names[node.name] = f"{node.name}_{len(taken)}"
                taken.add(names[node.name])

        def renamed(value: Any) -> Any:
            if isinstance(value, dict) and set(value) == {"node"}:
                return {"node": names.get(str(value["node"]), str(value["node"]))}
            if isinstance(value, dict):
                return {k: renamed(v) for k, v in value.items()}
            return [renamed(v) for v in value] if isinstance(value, list) else value

        view = copy.copy(self)
        view.graph = GraphFacts(
            {
                **self.graph.raw,
                "nodes": [
                    n
                    | {
                        "name": names.get(n["name"], n["name"]),
                        "args": renamed(n["args"]),
                        "kwargs": renamed(n["kwargs"]),
                    }
                    for n in self.graph.raw["nodes"]
                ],
            }
        )
        return view

    def constant(self, name: str) -> "torch.Tensor | None":
        """The tensor that the node of this name reads, if it is a get_attr node."""
        node = self.graph.by_name.get(name)
        return self.constants.get(node.target) if node is not None and node.op == "get_attr" else None

    def op(self, name: str) -> Op | None:
        """The node of this name as a quantize or dequantize node, or None."""
        import torch

        node = self.graph.by_name.get(name)
        if node is None or node.op != "call_function" or not node.target.startswith("quantized_decomposed."):
            return None
        kind = node.target.split(".")[1]
        what, _, scheme = kind.partition("_")
        if what not in ("quantize", "dequantize") or scheme not in _ARGUMENTS:
            return None
        given = dict(zip(_ARGUMENTS[scheme], node.args, strict=False))
        given |= {_OTHER_NAMES.get(k, k): v for k, v in node.kwargs.items()}

        def number(value: Any) -> "torch.Tensor | None":
            if isinstance(value, dict) and "node" in value:
                return self.constant(str(value["node"]))
            plain = isinstance(value, (int, float)) and not isinstance(value, bool)
            return torch.tensor(value, dtype=torch.float64) if plain else None

        def is_missing(value: Any) -> bool:
            read = self.graph.by_name.get(str(value["node"])) if isinstance(value, dict) and "node" in value else None
            return read is not None and read.op == "get_attr" and read.target not in self.constants

        source = given.get("input")
        others = [v["other"] for v in given.values() if isinstance(v, dict) and "other" in v]
        return Op(
            node,
            what == "quantize",
            scheme == "per_channel",
            str(source["node"]) if isinstance(source, dict) and "node" in source else "",
            number(given.get("scale")),
            number(given.get("zero_point")),
            given.get("axis"),
            (given.get("quant_min"), given.get("quant_max")),
            next((str(o).removeprefix("torch.") for o in others if str(o).startswith("torch.")), ""),
            any(str(o).startswith(("tensor(", "Parameter")) for o in others)
            or any(isinstance(given.get(name), list) for name in ("scale", "zero_point")),
            tuple(str(v["node"]) for v in given.values() if is_missing(v)),
        )

    def still_observes(self, place: "Place") -> bool:
        """Whether the node of a place calls a module still (its name may have gone to another node)."""
        return place.node in self.observers()

    def observers(self) -> list[str]:
        """Names of the call_module nodes, the guards apart."""
        return [n.name for n in self.graph.nodes if n.op == "call_module" and n.target != GUARDS]


def _overload(target: str) -> str:
    """An op without overload works in a graph too, and is the default one."""
    return f"{target}.default" if target.startswith("quantized_decomposed.") and target.count(".") == 1 else target


@dataclass(frozen=True)
class Problem:
    """What is wrong at one place: a key of an exercise's misconceptions or None, what happened, details, where."""

    part: str
    """`replaced`, `qparams`, `consumers` or `constant`."""
    kind: str | None
    symptom: str
    detail: str = ""
    mark: tuple[Any, ...] = ()


RAISED = {
    "erased-too-early": "A node can be erased when nobody reads it any more. Move the readers first.",
    "wrong-order": "A graph is a program that runs from top to bottom: a node can read only what stands in front of it. "
    "`inserting_after` and `inserting_before` say where a new node goes; without them it goes to the end.",
    "self-loop": "`replace_all_uses_with` moves *all* readers of a node. If the new quantize node is one of them, it reads "
    "its own dequantize node afterwards. Quantize reads the observed value, and only the readers of the observer are moved.",
}
"""Misconceptions of all three exercises, for `raised_problem` and `activation_problems`."""


def raised_problem(evidence: Evidence) -> tuple[str, str] | None:
    """What a known exception says: a key of `RAISED` and what happened. For any other, None."""
    message = (evidence.exception or {}).get("message", "")
    if "Tried to erase Node" in message:
        return "erased-too-early", "A node was erased while other nodes still read it."
    unbound = (evidence.exception or {}).get("type") == "UnboundLocalError" and evidence.has("after")
    if unbound or "used before it has been defined" in message:
        return "wrong-order", "A node reads another one that stands behind it in the graph."
    return None


def known(kind: str | None, misconceptions: Mapping[str, str]) -> str | None:
    """A kind of problem, where an exercise has a sentence for it."""
    return kind if kind in misconceptions else None


@dataclass(frozen=True)
class Place:
    """An observer in a graph, and who reads it: what is to be replaced."""

    node: str
    producer: str
    is_weight: bool
    observer: Any
    readers: tuple[tuple[str, int], ...]
    """Name of the reader, and at which of its inputs it reads the observer."""

    @property
    def scale(self) -> "torch.Tensor":
        return self.observer.calculate_qparams()[0].double()

    @property
    def zero_point(self) -> "torch.Tensor":
        return self.observer.calculate_qparams()[1].double()

    @property
    def limits(self) -> tuple[int, int]:
        return int(self.observer.quant_min), int(self.observer.quant_max)

    @property
    def dtype(self) -> str:
        return str(self.observer.dtype).removeprefix("torch.")


def places_of(gm: "fx.GraphModule") -> list[Place]:
    """The observers of a graph, in graph order."""
    from torch import fx

    from common.graph_utils import observer_nodes

    found = []
    for node, observer in observer_nodes(gm):
        producer: Any = node.args[0]
        readers = []
        for user in node.users:
            if user.target == GUARDS:
                continue  # it only checks shapes
            inputs: list[fx.Node] = []
            fx.map_arg((user.args, user.kwargs), inputs.append)
            readers += [(user.name, i) for i, n in enumerate(inputs) if n is node]
        found.append(Place(node.name, producer.name, producer.op == "get_attr", observer, tuple(readers)))
    return found


def activation_problems(view: View, place: Place) -> list[Problem]:
    """Compare one observed activation with the quantize and dequantize nodes that should stand there."""
    problems = []
    for reader, at in place.readers:
        inputs = view.graph.by_name[reader].inputs if reader in view.graph.by_name else []
        if at >= len(inputs):
            problems.append(Problem("consumers", None, "A node of the net is gone, or has lost an input.", reader))
            continue
        problem = _at_reader(view, place, reader, inputs[at])
        if problem:
            problems.append(problem)
    if problems and all(p.kind == "not-rewired" for p in problems) and _somebody_reads_dq(view, place):
        marks = tuple(m for p in problems for m in p.mark)
        symptom = "Some consumers read the quantized value, others do not."
        problems = [Problem("consumers", "only-first-consumer", symptom, problems[0].detail, marks)]
    return problems[:1]


def _somebody_reads_dq(view: View, place: Place) -> bool:
    """Whether a value is dequantized for one reader at least; `_guards_fn` can be the first of the users."""
    ops = [op for n in view.graph.nodes if (op := view.op(n.name)) is not None]
    mine = [op.node.name for op in ops if op.quantizes and op.source == place.producer]
    return any(view.graph.users(op.node.name) for op in ops if not op.quantizes and op.source in mine)


def _at_reader(view: View, place: Place, reader: str, read: str) -> Problem | None:
    edge = ((read, reader),)
    if read == place.producer or (read == place.node and view.still_observes(place)):
        symptom = "A consumer still reads the observer, or the float value itself."
        return Problem("consumers", "not-rewired", symptom, f"{reader} reads {read}", edge)
    dq = view.op(read)
    if dq is None:
        return Problem("consumers", None, "A consumer does not read a dequantize node.", f"{reader} reads {read}", edge)
    if dq.quantizes:
        symptom = "A consumer reads the integers of a quantize node."
        return Problem("consumers", "no-dequantize", symptom, f"{reader} reads {read}", edge)
    q = view.op(dq.source)
    if q is None or not q.quantizes:
        symptom = "The dequantize node does not read a quantize node."
        return Problem("replaced", "no-quantize", symptom, f"{read} reads {dq.source}", ((dq.source, read),))
    if q.source == place.node and view.still_observes(place):
        symptom = "The quantize node reads the observer."
        return Problem("replaced", "reads-observer", symptom, "", ((q.source, q.node.name),))
    if q.source == read:
        symptom = "The quantize node reads the dequantize node that reads it: the two go round in a circle."
        return Problem("replaced", "self-loop", symptom, "", ((q.source, q.node.name),))
    if q.source != place.producer:
        symptom = "The quantize node reads another value than the observer did."
        detail = f"{q.node.name} reads {q.source}, wanted {place.producer}"
        return Problem("replaced", None, symptom, detail, ((q.source, q.node.name),))
    problem = _numbers(q, place)
    if problem is None:
        problem = _numbers(dq, place)
        if problem is not None and problem.kind != "tensor-as-argument":
            symptom = "Quantize and dequantize do not use the same numbers."
            problem = Problem("qparams", "dq-differs", symptom, problem.detail, (dq.node.name,))
    return problem


def _numbers(op: Op, place: Place) -> Problem | None:
    mark = (op.node.name,)
    if op.raw_tensor:
        symptom = "A tensor stands among the arguments of a node."
        return Problem("qparams", "tensor-as-argument", symptom, f"arguments of {op.node.name}", mark)
    if op.limits != place.limits and op.limits[::-1] == place.limits:
        return Problem("qparams", "limits-swapped", "Smallest and largest integer are exchanged.", str(op.limits), mark)
    if op.limits != place.limits or op.dtype != place.dtype:
        detail = (
            f"yours {op.limits[0]}…{op.limits[1]} {op.dtype}, wanted {place.limits[0]}…{place.limits[1]} {place.dtype}"
        )
        symptom = "The limits or the integer type are not those of the observer."
        return Problem("qparams", "hard-coded-range", symptom, detail, mark)
    if op.per_channel or not (_same(op.scale, place.scale) and _same(op.zero_point, place.zero_point)):
        got = [None if v is None else v.flatten()[:1].tolist() for v in (op.scale, op.zero_point)]
        detail = f"{op.node.name}: yours {got}, wanted {place.scale.tolist()}, {place.zero_point.tolist()}"
        symptom = "Scale or zero point are not those of the observer at this place."
        return Problem("qparams", "wrong-qparams", symptom, detail, mark)
    return None


def weight_problems(view: View, place: Place, weight: "torch.Tensor", *, folded: bool) -> list[Problem]:
    """Compare one observed weight with the constant and the dequantize node that should stand there."""
    for reader, at in place.readers:
        inputs = view.graph.by_name[reader].inputs if reader in view.graph.by_name else []
        if at >= len(inputs):
            return [Problem("consumers", None, "A node of the net is gone, or has lost an input.", reader)]
        found = _weight_at_reader(view, place, weight, reader, inputs[at], folded)
        if found:
            return found
    return []


def _weight_at_reader(
    view: View, place: Place, weight: "torch.Tensor", reader: str, read: str, folded: bool
) -> list[Problem]:
    edge = ((read, reader),)
    if read == place.node and view.still_observes(place):
        return [Problem("consumers", "not-rewired", "The op still reads the observer of its weight.", mark=edge)]
    if view.constant(read) is not None:
        symptom = "The op reads its weight without a dequantize node in between."
        return [Problem("consumers", "no-dequantize-of-weight", symptom, mark=edge)]
    dq = view.op(read)
    if dq is None or dq.quantizes:
        return [Problem("consumers", None, "The op does not read its weight from a dequantize node.", mark=edge)]
    return [*_weight_numbers(dq, place), *_stored(view, dq, place, weight, folded)]


def _weight_numbers(op: Op, place: Place) -> list[Problem]:
    mark = (op.node.name,)
    if op.raw_tensor:
        symptom = "A tensor stands among the arguments of a node."
        return [Problem("qparams", "tensor-as-argument", symptom, f"arguments of {op.node.name}", mark)]
    if op.missing:
        symptom = "A get_attr node names a tensor that is not in the module."
        return [Problem("constant", "not-registered", symptom, ", ".join(op.missing), mark)]
    if not op.per_channel:
        return [
            Problem("qparams", "one-scale", "The weight is dequantized with one scale for all channels.", mark=mark)
        ]
    if op.axis != place.observer.ch_axis:
        detail = f"yours {op.axis}, wanted {place.observer.ch_axis}"
        return [Problem("qparams", "wrong-axis", "The axis is not that of the observer.", detail, mark)]
    if op.limits != place.limits or op.dtype != place.dtype:
        detail = (
            f"yours {op.limits[0]}…{op.limits[1]} {op.dtype}, wanted {place.limits[0]}…{place.limits[1]} {place.dtype}"
        )
        symptom = "The limits or the integer type are not those of the observer."
        return [Problem("qparams", "hard-coded-range", symptom, detail, mark)]
    if op.scale is None:
        return [Problem("qparams", None, "The scales of the dequantize node are not a stored tensor.", mark=mark)]
    zero = op.zero_point is None or _same(op.zero_point, place.zero_point)
    if not (_same(op.scale, place.scale) and zero):
        swapped = _same(op.scale, place.zero_point) and op.zero_point is not None and _same(op.zero_point, place.scale)
        symptom = "The scales are not those of the observer at this place."
        symptom = "Scales and zero points are exchanged." if swapped else symptom
        return [Problem("qparams", "swapped" if swapped else "wrong-qparams", symptom, mark=mark)]
    return []


def _stored(view: View, dq: Op, place: Place, weight: "torch.Tensor", folded: bool) -> list[Problem]:
    stored = view.constant(dq.source)
    mark = (dq.node.name,)
    if dq.source in dq.missing:
        return []  # told already
    if stored is None:
        q = view.op(dq.source)
        if q is None or not q.quantizes or q.source == place.node:
            symptom = "The dequantize node reads neither a stored tensor nor a quantize node of the weight."
            return [Problem("constant", "reads-observer" if q and q.source == place.node else None, symptom, mark=mark)]
        if folded:
            symptom = "The weight is still a float tensor, and is quantized anew in every run."
            return [Problem("constant", "not-stored", symptom, mark=(q.node.name,))]
        return _weight_numbers(q, place)
    if stored.dtype.is_floating_point:
        return [Problem("constant", "float-constant", "The stored weight is a float tensor.", f"{stored.dtype}", mark)]
    wanted = exact_integers(place, weight)
    if stored.shape != weight.shape:
        return [Problem("constant", None, "The stored weight has another shape.", f"{tuple(stored.shape)}", mark)]
    if str(stored.dtype) != f"torch.{place.dtype}":
        detail = f"yours {stored.dtype}, wanted torch.{place.dtype}"
        return [Problem("constant", "wide-constant", "The stored weight has another integer type.", detail, mark)]
    apart = (stored.double() - wanted).abs().max().item()
    if apart <= 0.5 + 1e-3:
        return []
    kind = "truncated" if apart < 1 and bool((stored.double().abs() <= wanted.abs() + 1e-6).all()) else None
    symptom = "The stored integers are not those of the weight."
    return [Problem("constant", kind, symptom, f"up to {apart:.2f} steps apart", mark)]


def exact_integers(place: Place, weight: "torch.Tensor") -> "torch.Tensor":
    """The weight in steps of its scales, before it is rounded."""
    shape = [1] * weight.dim()
    shape[place.observer.ch_axis] = -1
    return (weight.double() / place.scale.reshape(shape)).clamp(*place.limits)


def _same(a: "torch.Tensor | None", b: "torch.Tensor") -> bool:
    if a is None or a.numel() != b.numel():
        return False
    a = a.double().flatten()
    return bool(((a - b.flatten()).abs() <= 1e-6 * b.flatten().abs()).all())


def run_recorded(
    view: View, base: "fx.GraphModule", inputs: "tuple[torch.Tensor, ...]", still: Iterable[str] = ()
) -> "torch.Tensor | None":
    """Run the recorded graph with the net's own float parameters; None where it holds other ops than q, dq and the net's.

    `still`: names of modules that only pass their input on, such as observers that were to stay.
    """
    from torch import nn

    own = copy.deepcopy(base)
    known = {str(n.target) for n in own.graph.nodes if n.op == "get_attr"}
    for target, tensor in view.constants.items():
        if target in known and tensor.dtype.is_floating_point:
            continue  # the judge's own parameter
        _put(own, target, tensor)
        if target not in known:
            with own.graph.inserting_before(next(iter(own.graph.nodes))):
                own.graph.get_attr(target)
    try:
        return run_facts(view.graph, own, {name: nn.Identity() for name in still}, inputs)
    except MalformedEvidence:
        return None


def _put(gm: "fx.GraphModule", target: str, tensor: "torch.Tensor") -> None:
    from torch import nn

    module: Any = gm
    *path, name = target.split(".")
    for part in path:
        if not isinstance(getattr(module, part, None), nn.Module):
            module.add_module(part, nn.Module())
        module = getattr(module, part)
    if hasattr(module, name):
        delattr(module, name)
    module.register_buffer(name, tensor)
