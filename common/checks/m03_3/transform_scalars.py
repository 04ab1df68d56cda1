"""Numbers in additions and products become tensors before a quantizer writes its labels."""

import contextlib
import copy
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from common.checks._nets import exported
from common.checks.m03_1 import _labels as lb
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import NUMBER, Evidence, Recorder
from common.exercise.graphs import GRAPH, GraphFacts

if TYPE_CHECKING:
    from torch import fx

TARGETS = ("aten.add.Tensor", "aten.add_.Tensor", "aten.mul.Tensor", "aten.mul_.Tensor")

NO_GRAPH = "annotate was given no graph"
OTHER_GRAPH = "annotate was given another graph than transform_for_annotation has returned"
MARK = "came out of the transform_for_annotation of the given quantizer"

CONSTANTS: dict[str, Any] = {
    "type": "object",
    "maxProperties": 100,
    "additionalProperties": {
        "type": "object",
        "required": ["dtype", "values"],
        "properties": {"dtype": {"type": "string"}, "values": {"type": "array", "maxItems": 16, "items": NUMBER}},
    },
}


class TransformScalars(Exercise):
    """transform_scalars(quantizer): the same quantizer, which first turns numbers in add and mul into tensors."""

    id = "m03_3.transform_scalars"
    kind = "practice"
    minutes = 20
    criteria = {"numbers": 1, "types": 1, "labels": 2}
    must_return = True
    parameters = ("quantizer",)
    hints = (
        "Which of the four methods does prepare_pt2e call first? What it returns is the graph that the others get.",
        "For each number: `model.register_buffer(name, torch.tensor(number, dtype=…))` under a name of its own, then a "
        "`get_attr` node in front of the op, inside `with model.graph.inserting_before(node):`.",
        '`node.meta["val"].dtype` is the type of the result: skip the node if it is not a floating point type, and use it '
        "for the tensor otherwise. `node.update_arg(position, new)` puts the new node in.",
    )
    misconceptions = {
        "after-annotating": "When the labels are written, the number has to be a node of the graph already: a quantizer can "
        "label only what it finds.",
        "not-transformed": "A number among the arguments of a node is no node. It cannot be a key of `input_qspec_map`, and "
        "no observer can see it.",
        "in-place": "`aten.add_.Tensor` and `aten.mul_.Tensor` are overloads of other packets. They compute the same.",
        "wrong-type": "`torch.tensor(3)` is a tensor of int64, because 3 is an int. The op computes in the type of its "
        "result, and an observer collects the range of floating point values.",
        "fixed-type": "Not every net computes in float32. The tensor has the type of the result of its op: "
        '`node.meta["val"].dtype`.',
        "type-of-operand": "In `positions * 0.5` integers are read, and floats come out. Whether the number becomes a tensor, "
        "and of which type, depends on the result.",
        "integers-too": "Where integers are added (positions, sizes), nothing is to be quantized, and a float would change "
        "the type of the result.",
        "one-name": "A buffer that is registered under a name twice is the last one. Then several ops read the same number.",
        "rounded": "A number such as 0.5 is a value like any other: an integer in its place is another value.",
        "too-late": "A graph is run from its first node to its last. A new node has to stand in front of its reader: "
        "`inserting_before`.",
        "every-number": "Other arguments are settings: `alpha`, the bounds of clamp, a dimension. Only the two operands of "
        "an addition or a product are values.",
        "annotate-lost": "The new quantizer has to call `annotate` of the given one, else nobody writes its labels.",
        "validate-lost": "The new quantizer has to call `validate` of the given one, else nobody checks its labels.",
        "transform-lost": "The given quantizer may have a `transform_for_annotation` of its own. It has to run as well.",
        "other-graph": "`transform_for_annotation` may return another graph than it was given. Go on with what the given "
        "quantizer returns.",
        "returns-no-graph": "prepare_pt2e goes on with the graph that `transform_for_annotation` returns.",
    }
    public_cases = (
        Case(model="scalars"),
        Case(model="in_place"),
        Case(model="adds"),
    )
    facts = {
        "calls": {"type": "array", "maxItems": 50, "items": {"type": "string"}},
        "constants": CONSTANTS,
        "after": GRAPH,
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        from common.pt2e import prepare_pt2e

        calls: list[str] = []
        returned = ev.call(answer, arithmetic_quantizer(calls))
        try:
            with ev.student("prepare_pt2e was called with the returned quantizer"):
                after = prepare_pt2e(exported(case.model, case.seed), returned)
        finally:
            ev.fact("calls", calls[:50])
        ev.fact("constants", _constants(after))
        ev.graph("after", after)

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        if NO_GRAPH in evidence.facts.get("calls", []):
            symptom = "The graph is lost between `transform_for_annotation` and `annotate`."
            yield from (self.failed(criterion, "returns-no-graph", symptom) for criterion in self.criteria)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        before, after = exported(case.model, case.seed), evidence.graph("after")
        places = [(n, i) for n in before.graph.nodes for i in _number_places(n)]
        look = _Look(after, evidence.facts["constants"])
        yield self._numbers(before, places, look)
        yield self._types(before, places, look)
        yield self._labels(case, places, look, evidence.facts["calls"])

    def _numbers(self, before: "fx.GraphModule", places: list[tuple[Any, int]], look: "_Look") -> Finding:
        criterion = "numbers"
        missing = [(n, i) for n, i in places if look.constant(n.name, i) is None]
        if missing:
            found = "not-transformed", "A number is still among the arguments of an addition or a product."
            if all(any(_is_integer(a) for a in n.all_input_nodes) for n, _i in missing):
                found = "type-of-operand", "A number beside integers is still there, and the result is of floats."
            if all(str(n.target).split(".")[1].endswith("_") for n, _i in missing):
                found = "in-place", "A number of an op that works in place is still there."
            return self.failed(criterion, *found, detail=", ".join(n.name for n, _i in missing))
        late = [n for n, i in places if look.is_late(n.name, i)]
        if late:
            symptom = "A tensor stands behind the op that reads it."
            return self.failed(criterion, "too-late", symptom, detail=", ".join(n.name for n in late))
        wrong = [n for n, i in places if not _close(look.constant(n.name, i), n.args[i])]
        if wrong:
            symptom = "A tensor does not hold the number in whose place it stands."
            held = {n.name: look.constant(n.name, i) for n, i in places if n in wrong}
            kind = None
            if all(any(_is_integer(a) for a in n.all_input_nodes) and "int" in held[n.name]["dtype"] for n in wrong):
                kind = "type-of-operand"
            elif all(any(_close(held[n.name], m.args[j]) for m, j in places if m is not n) for n in wrong):
                kind = "one-name"
            elif all(
                held[n.name]["values"][0].is_integer() and not float(n.args[i]).is_integer()
                for n, i in places
                if n in wrong
            ):
                kind = "rounded"
            return self.failed(criterion, kind, symptom, detail=", ".join(n.name for n in wrong))
        changed = look.changed(before, {(n.name, i) for n, i in places})
        if changed:
            kind = "every-number" if any(look.other_constant(name) for name in changed) else None
            symptom = "Another part of the graph has changed."
            return self.failed(criterion, kind, symptom, detail=", ".join(changed))
        return self.passed(criterion)

    def _types(self, before: "fx.GraphModule", places: list[tuple[Any, int]], look: "_Look") -> Finding:
        criterion = "types"
        there = [(n, i) for n, i in places if look.constant(n.name, i) is not None]
        wrong = [(n, look.constant(n.name, i)["dtype"]) for n, i in there]
        wrong = [(n, dtype) for n, dtype in wrong if dtype != str(n.meta["val"].dtype)]
        if wrong:
            kind, symptom = "fixed-type", "A tensor has another type than the result of the op that reads it."
            if any("int" in dtype for _n, dtype in wrong):
                kind = "wrong-type"
                if all(any(_is_integer(a) for a in n.all_input_nodes) for n, dtype in wrong if "int" in dtype):
                    kind = "type-of-operand"
            return self.failed(criterion, kind, symptom, detail=", ".join(n.name for n, _dtype in wrong))
        integers = [n.name for n in before.graph.nodes if _is_integer_op(n) and look.other_constant(n.name)]
        if integers:
            symptom = "An addition of integers reads a new tensor."
            return self.failed(criterion, "integers-too", symptom, detail=", ".join(integers))
        if places and not there:
            return self.failed(criterion, None, "There is no tensor of which the type could be looked at.")
        return self.passed(criterion)

    def _labels(self, case: Case, places: list[tuple[Any, int]], look: "_Look", calls: list[str]) -> Finding:
        criterion = "labels"
        for method, kind in (
            ("annotate", "annotate-lost"),
            ("validate", "validate-lost"),
            ("transform", "transform-lost"),
        ):
            if method not in calls:
                return self.failed(criterion, kind, "A method of the given quantizer is not called.", detail=method)
        if OTHER_GRAPH in calls:
            symptom = "The labels are written into a graph that the given quantizer has replaced by another one."
            return self.failed(criterion, "other-graph", symptom)
        plain = [n.name for n, i in places if look.constant(n.name, i) is not None and not look.is_observed(n.name, i)]
        if plain:
            kind = "after-annotating" if len(plain) == len(places) else None
            symptom = "A number has become a tensor, and no observer looks at it."
            return self.failed(criterion, kind, symptom, detail=", ".join(plain), graph="after", mark=tuple(plain))
        if any(look.constant(n.name, i) is None for n, i in places):
            return self.failed(criterion, None, "A number that is not in the graph as a tensor cannot be observed.")
        wanted = lb.observed(_reference(case))
        got = {(p, c) for p, c in lb.observed_in(look.after) if p not in look.constants}
        if got != wanted:
            symptom = "The values of the net are not observed as the given quantizer wants it."
            return self.failed(
                criterion, None, symptom, detail=", ".join(f"{p} → {c}" for p, c in sorted(got ^ wanted))
            )
        return self.passed(criterion)


def arithmetic_quantizer(calls: list[str]) -> Any:
    """Return a quantizer that labels what add and mul read and give; it writes down which methods were called."""
    import torch

    from common.pt2e import ANNOTATION_KEY, MinMaxObserver, QuantizationAnnotation, QuantizationSpec, Quantizer

    spec = QuantizationSpec(torch.int8, MinMaxObserver, -128, 127, torch.per_tensor_affine)

    class _Arithmetic(Quantizer):
        def transform_for_annotation(self, model: Any) -> Any:
            calls.append("transform")
            with contextlib.suppress(Exception):  # a graph in a wrong order cannot be copied
                model = copy.deepcopy(model)  # a quantizer may return another graph
            for node in model.graph.nodes:
                node.meta[MARK] = True
            return model

        def annotate(self, model: Any) -> Any:
            calls.append("annotate" if isinstance(model, torch.fx.GraphModule) else NO_GRAPH)
            if "transform" in calls and not any(MARK in node.meta for node in model.graph.nodes):
                calls.append(OTHER_GRAPH)
            for node in model.graph.nodes:
                if str(node.target) in TARGETS and node.op == "call_function" and not _is_integer_op(node):
                    read = {a: spec for a in node.args[:2] if isinstance(a, torch.fx.Node) and not _is_integer(a)}
                    note = QuantizationAnnotation(input_qspec_map=dict(read), output_qspec=spec)
                    node.meta[ANNOTATION_KEY] = note
            return model

        def validate(self, model: Any) -> None:
            calls.append("validate")

    return _Arithmetic()


def _reference(case: Case) -> "fx.GraphModule":
    """The net prepared without changing numbers: the edges between its nodes are observed in the same way."""
    from common.pt2e import prepare_pt2e

    return prepare_pt2e(exported(case.model, case.seed), arithmetic_quantizer([]))


def _is_integer(node: Any) -> bool:
    dtype = getattr(node.meta.get("val"), "dtype", None)
    return dtype is not None and not dtype.is_floating_point


def _is_integer_op(node: Any) -> bool:
    return node.op == "call_function" and str(node.target) in TARGETS and _is_integer(node)


def _number_places(node: Any) -> list[int]:
    """Positions of the operands of an addition or a product of floats that are numbers."""
    if node.op != "call_function" or str(node.target) not in TARGETS or _is_integer_op(node):
        return []
    return [i for i, a in enumerate(node.args[:2]) if isinstance(a, (int, float))]


def _constants(gm: Any) -> dict[str, Any]:
    """Return type and values of small tensors that get_attr nodes read, by name of the node."""
    import operator

    import torch

    found: dict[str, Any] = {}
    for node in getattr(getattr(gm, "graph", None), "nodes", ()):
        if node.op != "get_attr" or len(found) >= 100:
            continue
        try:
            value = operator.attrgetter(str(node.target))(gm)
        except AttributeError:
            continue
        if isinstance(value, torch.Tensor) and value.numel() == 1:
            found[node.name] = {"dtype": str(value.dtype), "values": [float(value.detach().reshape(-1)[0])]}
    return found


def _close(constant: Any, number: float) -> bool:
    """Whether a recorded constant is this number, rounded to float32."""
    return abs(constant["values"][0] - number) <= 1e-6 * abs(number)


class _Look:
    """The prepared graph of the evidence, and the constants in it."""

    def __init__(self, after: GraphFacts, constants: dict[str, Any]) -> None:
        self.after, self.constants = after, constants
        self.observers = lb.observers_in(after)

    def _source(self, name: str) -> str:
        """The node whose value goes through observers to here."""
        for _step in range(10):
            if name not in self.observers or not self.after.by_name[name].inputs:
                break
            name = self.after.by_name[name].inputs[0]
        return name

    def _argument(self, name: str, position: int) -> Any:
        node = self.after.by_name.get(name)
        value = node.args[position] if node and len(node.args) > position else None
        return value["node"] if isinstance(value, dict) and set(value) == {"node"} else None

    def constant(self, name: str, position: int) -> Any:
        """The constant that a node reads at this position, or None."""
        return self.constants.get(self._source(str(self._argument(name, position))))

    def is_late(self, name: str, position: int) -> bool:
        """Whether the constant comes later in the graph than its reader."""
        source = self._source(str(self._argument(name, position)))
        return self.after.position(source) > self.after.position(name)

    def is_observed(self, name: str, position: int) -> bool:
        return self._argument(name, position) in self.observers

    def other_constant(self, name: str) -> bool:
        """Whether a node reads any constant."""
        node = self.after.by_name.get(name)
        return node is not None and any(self._source(i) in self.constants for i in node.inputs)

    def changed(self, before: "fx.GraphModule", places: set[tuple[str, int]]) -> list[str]:
        """Names of nodes that are not as before: gone, new, or with other arguments (observers and `places` apart)."""
        from common.exercise.graphs import graph_facts

        old = GraphFacts(graph_facts(before))
        integers = {n.name for n in before.graph.nodes if _is_integer_op(n)}
        skipped = self.observers | set(self.constants)
        new = [n for n in self.after.nodes if n.name not in skipped]
        found = sorted({n.name for n in old.nodes} ^ {n.name for n in new} - set(self.constants))
        for node in new:
            was = old.by_name.get(node.name)
            if was is None or node.name in integers:
                continue
            kept = [self._plain(a) for i, a in enumerate(node.args) if (node.name, i) not in places]
            wanted = [a for i, a in enumerate(was.args) if (node.name, i) not in places]
            kwargs = {key: self._plain(a) for key, a in node.kwargs.items()}
            if (node.op, node.target, kept, kwargs) != (was.op, was.target, wanted, was.kwargs):
                found.append(node.name)
        return found

    def _plain(self, value: Any) -> Any:
        if isinstance(value, dict) and set(value) == {"node"}:
            return {"node": self._source(value["node"])}
        return [self._plain(v) for v in value] if isinstance(value, list) else value
