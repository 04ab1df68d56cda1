"""Pairs of ops, one behind the other, with nobody else reading in between."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from common.checks._nets import exported, name_arguments, named_only
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder

if TYPE_CHECKING:
    from torch import fx

Pairs = set[tuple[str, str]]

GUARDS = "_guards_fn"


class FindPairs(Exercise):
    """find_pairs(gm, first, second): where one op is read by another one and by nobody else."""

    id = "m00_2.find_pairs"
    kind = "core"
    minutes = 20
    criteria = {"complete": 2, "only these ops": 1, "single reader": 1}
    must_return = True
    parameters = ("gm", "first", "second")
    hints = (
        "Three questions at each node: is it the first op? Who reads it? Is the only reader the second op?",
        "`first` and `second` are packets, and a target is an overload. Compare "
        '`getattr(node.target, "overloadpacket", None)` with the packet.',
        "`len(node.users) == 1` says that there is a single reader, and `next(iter(node.users))` is that reader. In which "
        "of its arguments the reader holds the node does not matter.",
    )
    misconceptions = {
        "form": "The result is a list of pairs of names, `(producer.name, reader.name)`.",
        "nodes": "A node belongs to one graph. Its name (`node.name`) is a text, which can be printed, looked up and compared.",
        "in-kwargs": "An argument may be given by its name. The node then stands in `kwargs`, and not in `args`. From the "
        "producer to its reader (`node.users`) there is no such trouble.",
        "no-packet": "The target of an input or of a weight is a text, and Python's `getitem` is a plain function: they have no "
        '`overloadpacket`. `getattr(node.target, "overloadpacket", None)` gives None for them.',
        "second-reader": "If somebody else reads the value between the two ops, it must go on existing, so the two cannot "
        "become one.",
        "packet-or-overload": "If nothing is found in other nets either: `aten.relu` is the packet with all overloads, `aten.relu.default` is one of them. The target "
        "of a node is an overload, and the two are never equal. Nor is every overload called `default`: compare packet with "
        "packet.",
        "text-search": "A piece of text is found in longer names too: “relu” is in relu6 and in relu_, which are other ops.",
        "node-names": "A node's name is only a name in the generated code, and may be anything. What the node computes is in "
        "its target.",
        "first-argument": "An op may read the producer in any of its arguments. In an addition, left and right are equal.",
        "inside-lists": "A node such as cat holds its inputs in a list: `args[0]` is the list, not a node. From the producer "
        "to its reader (`node.users`) there is no such trouble. (If nothing is found for other ops either, the cause is "
        "another one.)",
        "reversed": "The producer comes first in a pair, and its reader second.",
        "next-node": "The next node in the list is not always the one that reads. Who reads what stands in args and users "
        "only.",
        "counts-uses": "A reader that takes the node in two places is one reader, not two, and makes one pair.",
        "one-pair": "There may be several pairs. A `return` inside of the loop stops at the first one.",
    }
    public_cases = (
        Case(model="conv_relu_conv", first="conv2d", second="relu"),
        Case(model="relu_kinds", first="conv2d", second="relu"),
        Case(model="residual", first="conv2d", second="relu", seed=1),
        Case(model="residual", first="relu", second="conv2d", seed=2),
        Case(model="conv_chain", first="conv2d", second="relu", seed=3),
    )
    facts = {
        "pairs": {
            "type": ["array", "null"],
            "maxItems": 300,
            "items": {"type": "array", "maxItems": 2, "items": {"type": "string"}},
        },
        "strange": {"type": "string"},
        "nodes": {"type": "boolean"},
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        from torch import fx

        returned = ev.call(answer, _graph(case), _packet(case.first), _packet(case.second))
        if isinstance(returned, (str, Mapping)) or not isinstance(returned, Collection):
            ev.fact("pairs", None)
            ev.fact("strange", f"it is a {type(returned).__name__}")
            return
        with ev.student("the result was read"):
            strange = [p for p in returned if not isinstance(p, (list, tuple)) or len(p) != 2]
            pairs = [list(p) for p in returned if not strange]
        ev.fact("pairs", [[_name(n) for n in p] for p in pairs][:300] if not strange else None)
        ev.fact("strange", f"there is a {type(strange[0]).__name__} in it" if strange else "")
        ev.fact("nodes", any(isinstance(n, fx.Node) for p in pairs for n in p))

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        message = (evidence.exception or {}).get("message", "")
        if re.search(r"'(str|builtin_function_or_method)' object has no attribute 'overloadpacket'", message):
            symptom = "A target was taken for an overload and is none."
            yield self.failed("only these ops", "no-packet", symptom, detail=message)
        elif re.search(r"'(immutable_list|list|tuple)' object has no attribute '(name|op|target|users)'", message):
            symptom = "A list was taken for a node."
            yield self.failed("complete", "inside-lists", symptom, detail=message)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        if evidence.facts["pairs"] is None:
            symptom = "The result is not a list of pairs."
            detail = evidence.facts["strange"]
            yield Finding(None, False, "form", symptom, self.misconceptions["form"], detail)
            return
        if evidence.facts["nodes"]:
            yield self.failed("complete", "nodes", "The pairs hold nodes, and not their names.")
        gm = _graph(case)
        wanted = _pairs(gm, case)
        got: Pairs = {(p[0], p[1]) for p in evidence.facts["pairs"] if len(p) == 2}
        nodes = {n.name: n for n in gm.graph.nodes}
        extra = got - wanted
        unread = {p for p in extra if p[0] in nodes and p[1] not in {u.name for u in nodes[p[0]].users}}
        others = {p for p in extra - unread if not _is_pair(nodes, p, case)}
        yield self._complete(gm, case, wanted, got)
        yield self._ops(case, unread, others, wanted)
        listed = [tuple(p) for p in evidence.facts["pairs"]]
        yield self._single(extra - unread - others, {p for p in wanted if listed.count(p) > 1})

    def _complete(self, gm: "fx.GraphModule", case: Case, wanted: Pairs, got: Pairs) -> Finding:
        missing, nodes = wanted - got, {n.name: n for n in gm.graph.nodes}
        if not missing:
            return self.passed("complete")
        kind, symptom = None, "A pair is missing."
        order = list(nodes)
        first = min(wanted, key=lambda p: order.index(p[0]))
        only_first = got == {first}
        if all(isinstance(nodes[b].args[0], (list, tuple)) for _a, b in missing) and not got:
            kind = "inside-lists"
        elif not got:
            kind, symptom = "packet-or-overload", "Not one pair was found, although there are some."
        elif all(named_only(nodes[b], nodes[a]) for a, b in missing):
            kind = "in-kwargs"
        elif all(order[order.index(a) + 1] != b for a, b in missing) and not got - wanted and not only_first:
            kind = "next-node"
        elif all(len(_places(nodes[b], nodes[a])) > 1 for a, b in missing):
            kind = "counts-uses"
        elif all(nodes[b].args[0] is not nodes[a] for a, b in missing) and not only_first:
            kind = "first-argument"
        elif only_first and all(nodes[b].args[0] is nodes[a] for a, b in missing):
            kind = "one-pair"  # else it might be something else as well, so nothing is said
        return self.failed("complete", kind, symptom, detail=f"missing: {sorted(missing)}")

    def _ops(self, case: Case, unread: Pairs, others: Pairs, wanted: Pairs) -> Finding:
        criterion = "only these ops"
        if unread and {(b, a) for a, b in unread} <= wanted:
            symptom = "There is a pair whose two names are exchanged."
            return self.failed(criterion, "reversed", symptom, detail=f"exchanged: {sorted(unread)}")
        if unread:
            symptom = "There is a pair whose second node does not read the first one."
            return self.failed(criterion, "next-node", symptom, detail=f"no pairs: {sorted(unread)}")
        if others:
            symptom = "There is a pair of other ops in the result."
            kind = "node-names" if case.get("names_swapped") else "text-search"
            return self.failed(criterion, kind, symptom, detail=f"other ops: {sorted(others)}")
        return self.passed(criterion)

    def _single(self, extra: Pairs, twice: Pairs) -> Finding:
        criterion = "single reader"
        if twice:
            symptom = "A pair stands in the list more than once."
            return self.failed(criterion, "counts-uses", symptom, detail=f"more than once: {sorted(twice)}")
        if extra:
            symptom = "There is a pair whose first node has another reader too."
            return self.failed(criterion, "second-reader", symptom, detail=f"read by others too: {sorted(extra)}")
        return self.passed(criterion)


def _name(value: Any) -> str:
    return value if isinstance(value, str) else str(getattr(value, "name", type(value).__name__))


def _graph(case: Case) -> "fx.GraphModule":
    """The graph of a case; with `names_swapped`, nodes of the first op are named after the second, and the reverse.

    With `named`, arguments behind the first stand in `kwargs`.
    """
    gm = exported(case.model, case.seed)
    if case.get("names_swapped"):
        other = {_packet(case.first): case.second, _packet(case.second): case.first}
        for i, node in enumerate(n for n in gm.graph.nodes if _op(n) in other):
            node._rename(f"{other[_op(node)]}_{i + 20}")  # from 20: no such name exists
        gm.recompile()
    if case.get("named"):
        name_arguments(gm)
    return gm


def _packet(name: str) -> Any:
    import torch

    return getattr(torch.ops.aten, name)


def _op(node: "fx.Node") -> Any:
    return getattr(node.target, "overloadpacket", None)


def _places(reader: "fx.Node", node: "fx.Node") -> list[int]:
    """In which of its arguments a reader holds a node."""
    return [i for i, a in enumerate(reader.args) if a is node]


def _pairs(gm: "fx.GraphModule", case: Case) -> Pairs:
    found: Pairs = set()
    for node in gm.graph.nodes:
        readers = [u for u in node.users if u.name != GUARDS]
        if _op(node) == _packet(case.first) and len(readers) == 1 and _op(readers[0]) == _packet(case.second):
            found.add((node.name, readers[0].name))
    return found


def _is_pair(nodes: "dict[str, fx.Node]", pair: tuple[str, str], case: Case) -> bool:
    """Whether two nodes call the two ops, whoever else reads the first."""
    return (
        pair[0] in nodes
        and pair[1] in nodes
        and _op(nodes[pair[0]]) == _packet(case.first)
        and _op(nodes[pair[1]]) == _packet(case.second)
    )
