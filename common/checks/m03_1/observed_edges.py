"""Read a prepared graph: who reads an observed value, and whose value is it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from common.checks._nets import exported
from common.checks.m03_1 import _labels as lb
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder

if TYPE_CHECKING:
    from torch import fx


class ObservedEdges(Exercise):
    """observed_edges(prepared): the edges on which a consumer reads an observed value."""

    id = "m03_1.observed_edges"
    kind = "practice"
    minutes = 15
    criteria = {"complete": 2, "nodes, not observers": 1, "nothing else": 1}
    must_return = True
    parameters = ("prepared",)
    hints = (
        "Go through the consumers rather than the observers: for each node that is not an observer, look at what it "
        "reads.",
        "`node.all_input_nodes` finds inputs inside lists as well. `observer_nodes(prepared)` says which nodes are "
        "observers.",
        "If an input is an observer, go back with `args[0]` until you meet a node that is none: that is the producer.",
    )
    misconceptions = {
        "not-names": "The result is a set of pairs of names, `(producer.name, consumer.name)`.",
        "observer-as-producer": "An observer computes nothing new: it hands on what it has read. The producer is the node "
        "behind which it stands.",
        "chained": "Observers can stand behind each other. The producer is found only when you go back through all of "
        "them.",
        "observer-as-consumer": "The observer itself reads the plain value. It is no consumer in the sense of the "
        "question.",
        "first-user-only": "One observer can be read by several consumers, and each of them is an edge of its own.",
        "inside-lists": "A node such as cat holds its inputs in a list: `args[0]` is the list, not a node.",
        "output-left-out": "The node `output` reads values too, so it is a consumer. It holds what it reads in a list: "
        "`all_input_nodes` looks into it.",
        "first-input-only": "A node can read several others: data and weight, or two terms of a sum. Each is an edge.",
        "reversed": "The pair begins with the producer: the node whose value it is. The consumer, who reads, comes second.",
        "weights-left-out": "A weight is a node as well (`get_attr`), and the edge from it can be observed.",
        "every-module": "A `call_module` node calls any module. Only some of them are observers.",
        "plain-readers": "A consumer of an observed node may go on reading the plain value, past the observer.",
    }
    public_cases = (
        Case(model="conv_relu", labels=[["out", "relu"], ["edge", "x", "conv2d"], ["edge", "conv_weight", "conv2d"]]),
        Case(model="cat_pool", labels=[["edge", "x", "conv2d"], ["out", "conv2d"], ["out", "conv2d_1"]]),
        Case(model="cat_pool", labels=[["out", "x"], ["edge", "x", "conv2d", "narrow"]]),
    )
    facts = {
        "type": {"type": "string"},
        "pairs": {
            "type": ["array", "null"],
            "maxItems": 500,
            "items": {"type": "array", "maxItems": 2, "items": {"type": "string"}},
        },
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        pairs = ev.call(answer, _graph(case))
        ev.fact("type", type(pairs).__name__[:100])
        with ev.student("the result was read"):
            found = [list(pair) for pair in pairs] if isinstance(pairs, (set, frozenset, list, tuple, dict)) else None
        good = found is not None and all(len(p) == 2 and all(isinstance(n, str) for n in p) for p in found)
        ev.fact("pairs", found if good else None)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        if evidence.facts["pairs"] is None:
            symptom = "The result is not a set of pairs of names."
            why, detail = self.misconceptions["not-names"], f"yours: {evidence.facts['type']}"
            yield Finding(None, False, "not-names", symptom, why, detail)
            return
        gm = _graph(case)
        wanted = lb.observed(gm)
        got = {(p[0], p[1]) for p in evidence.facts["pairs"] if len(p) == 2 and lb.GUARDS not in p}
        if got and got == {(c, p) for p, c in wanted}:
            symptom, why = "All pairs are the other way round.", self.misconceptions["reversed"]
            yield Finding(None, False, "reversed", symptom, why)
            return
        observers = {n.name for n in gm.graph.nodes if n.name.startswith("activation_post_process")}
        strange = {p for p in got if set(p) & observers}
        yield self._complete(gm, wanted, got)
        yield self._nodes(gm, strange, observers, bool(got))
        yield self._rest(gm, got - wanted - strange, bool(got))

    def _complete(self, gm: "fx.GraphModule", wanted: lb.Edges, got: lb.Edges) -> Finding:
        missing, nodes = wanted - got, {n.name: n for n in gm.graph.nodes}
        if not missing:
            return self.passed("complete")
        kind, symptom = None, "An edge on which an observed value is read is missing."
        modules = {n.name for n in gm.graph.nodes if n.op == "call_module"} - {lb.GUARDS}
        listed = {c for _p, c in missing if isinstance(nodes[c].args[0], (list, tuple))} - {c for _p, c in got}
        if not listed and all(_observers_between(nodes[p], nodes[c]) > 1 for p, c in missing):
            kind, symptom = "chained", "An edge on which two observers stand behind each other is missing."
        elif all(set(edge) & modules or _behind(nodes, edge[0], modules) for edge in missing):
            kind, symptom = "every-module", "An edge is missing on one side of a module that is no observer."
        elif all(c == "output" for _p, c in missing):
            kind, symptom = "output-left-out", "An edge to the node `output` is missing."
        elif all(isinstance(nodes[c].args[0], (list, tuple)) and p not in _direct(nodes[c]) for p, c in missing):
            kind = "inside-lists"
        elif all(nodes[p].op == "get_attr" for p, _c in missing):
            kind, symptom = "weights-left-out", "An edge from a weight is missing."
        elif all(not _is_first(nodes[p], nodes[c]) for p, c in missing):
            kind, symptom = "first-input-only", "Of several inputs of a node, only the first one is there."
        elif any((p, c) in got for p, _missing in missing for c in nodes):
            kind, symptom = "first-user-only", "Of several consumers that read one observer, some are missing."
        detail = "missing: " + ", ".join(map(str, sorted(missing)))
        return self.failed("complete", kind, symptom, detail=detail)

    def _nodes(self, gm: "fx.GraphModule", strange: lb.Edges, observers: set[str], some: bool) -> Finding:
        criterion = "nodes, not observers"
        if not strange:
            return self.passed(criterion) if some else self.failed(criterion, None, "The result is empty.")
        detail = "in your result: " + ", ".join(map(str, sorted(strange)))
        if any(consumer in observers for _producer, consumer in strange):
            symptom = "An observer stands in the place of a consumer."
            return self.failed(criterion, "observer-as-consumer", symptom, detail=detail)
        nodes = {n.name: n for n in gm.graph.nodes}
        reads = {str(nodes[o].args[0]) for o in observers}
        chained = all(producer in reads for producer, _consumer in strange)
        symptom = "An observer stands in the place of a producer."
        return self.failed(criterion, "chained" if chained else "observer-as-producer", symptom, detail=detail)

    def _rest(self, gm: "fx.GraphModule", extra: lb.Edges, some: bool) -> Finding:
        criterion = "nothing else"
        if not extra:
            return self.passed(criterion) if some else self.failed(criterion, None, "The result is empty.")
        nodes = {n.name: n for n in gm.graph.nodes}
        kind, symptom = None, "There is an edge in the result on which no observed value is read."
        modules = {n.name for n in gm.graph.nodes if n.op == "call_module"} - {lb.GUARDS}
        if any(set(pair) & modules for pair in extra) or any(_behind(nodes, p, modules) for p, _c in extra):
            kind, symptom = "every-module", "A module that is no observer was taken for one."
        elif all(p in nodes and c in {u.name for u in nodes[p].users} for p, c in extra):
            kind, symptom = "plain-readers", "A consumer that reads the plain value is in the result."
        detail = "not to be in it: " + ", ".join(map(str, sorted(extra)))
        return self.failed(criterion, kind, symptom, detail=detail)


def _observers_between(producer: "fx.Node", consumer: "fx.Node") -> int:
    """How many observers stand between two nodes, on the longest way."""
    counts = [0]
    for read in consumer.all_input_nodes:
        steps: int = 0
        node: Any = read
        while node is not producer and node.name.startswith("activation_post_process"):
            node, steps = node.args[0], steps + 1
        counts.append(steps if node is producer else 0)
    return max(counts)


def _is_first(producer: "fx.Node", consumer: "fx.Node") -> bool:
    """Whether a value is the first input of a node, observers passed over."""
    node: Any = consumer.all_input_nodes[0]
    while node is not producer and node.name.startswith("activation_post_process"):
        node = node.args[0]
    return node is producer


def _direct(node: "fx.Node") -> set[str]:
    return {str(a) for a in node.args if not isinstance(a, (list, tuple))}


def _behind(nodes: dict[str, Any], producer: str, modules: set[str]) -> bool:
    """Whether a node is read by a module that is no observer."""
    users = nodes[producer].users if producer in nodes else ()
    return any(u.name in modules and not u.name.startswith("activation_post_process") for u in users)


def _graph(case: Case) -> "fx.GraphModule":
    """The prepared graph of a case; `module_behind` names a node with an ordinary module behind it."""
    from torch import nn

    from common.graph_utils import splice
    from common.pt2e import get_xnnpack_quantizer, prepare_pt2e

    if case.get("labels") is None:
        gm = prepare_pt2e(exported(case.model, case.seed), get_xnnpack_quantizer()[0])
    else:
        specs = {"narrow": lb.make_spec("narrow")}
        gm = lb.prepared(case.model, case.seed, lb.put(case.labels, lb.make_spec("int8"), specs))
    if case.get("module_behind"):
        splice(gm, next(n for n in gm.graph.nodes if n.name == case.module_behind), nn.Hardtanh(), "limit")
        gm.recompile()
    return gm
