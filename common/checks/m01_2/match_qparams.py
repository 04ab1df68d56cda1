"""Which observer of a prepared graph became which quantize and dequantize nodes of the converted one."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from common.checks.m01_2._stages import names, nodes_of, observers_of, reorder, stage
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder

if TYPE_CHECKING:
    from torch import fx

Pairs = dict[str, tuple[str | None, frozenset[str]]]
"""Observed value → (quantize node or None, dequantize nodes), all by name."""


class MatchQParams(Exercise):
    """match_qparams(prepared, converted): for each observed value, the q and dq nodes that took the observer's place."""

    id = "m01_2.match_qparams"
    kind = "core"
    minutes = 20
    criteria = {"values": 1, "q": 1, "dq": 2, "weights": 2}
    must_return = True
    parameters = ("prepared", "converted")
    hints = (
        "What stays the same in both graphs is who reads the value: conv2d reads its data through an observer in one "
        "graph, and through a dequantize node in the other. So start from the readers of an observer.",
        "A reader has the same name in both graphs, and its inputs have the same order: go through "
        "`zip(old.all_input_nodes, new.all_input_nodes)`.",
        "The dequantize node at the place of the observer reads a quantize node, `dq.args[0]`, or a stored constant, "
        "which is a `get_attr`. Collect the dequantize nodes of all readers.",
    )
    misconceptions = {
        "by-numbers": "Values that share an observer have the same scale and zero point, so the numbers cannot tell "
        "them apart. Who reads the value can.",
        "first-reader": "An observed value can have other readers than its quantize node: some read the plain value. Look "
        "at what a node does before you take it.",
        "by-order": "The order of the nodes, and the numbers in their names, depend on how a graph was built. The same "
        "graph may be written down in another order.",
        "one-dq": "convert_pt2e gives each reader of a quantized value a dequantize node of its own.",
        "constant-as-q": "The node of a stored weight only bears the name of a quantize node. It is a `get_attr`: the "
        "quantizing was done once, while converting.",
        "always-stored": "A weight is stored only if convert_pt2e has folded its quantize node away. Look at the node: "
        "is it a constant or an operation?",
        "weights-left-out": "A weight is observed too. The weight's node is gone after convert, but its reader is there.",
        "inside-lists": "`output`, and ops such as cat, hold what they read in a list: `node.args[0]` is this list there. "
        "`node.all_input_nodes` looks into lists too.",
        "no-dq-of-weight": "The weight is stored as integers, and an op computes with floats: the reader of the weight reads a "
        "dequantize node.",
        "observer-named": "The keys are the observed values: what the observer reads.",
    }
    public_cases = (Case(model="residual"), Case(model="conv_relu", seed=1, reordered=True))
    facts = {
        "form": {"type": "string"},
        "rows": {
            "type": "object",
            "maxProperties": 200,
            "additionalProperties": {
                "type": "object",
                "required": ["q", "dq"],
                "properties": {
                    "q": {"type": ["string", "null"]},
                    "dq": {"type": "array", "items": {"type": "string"}},
                },
            },
        },
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        returned = ev.call(answer, *_pair(case))
        rows, form = {}, "" if isinstance(returned, dict) else "the result is no dict"
        with ev.student("the result was read"):
            for name, row in list(returned.items())[:200] if isinstance(returned, dict) else ():
                pair = row if isinstance(row, (tuple, list)) and len(row) == 2 else (0, None)
                dq = names(pair[1])
                if not isinstance(name, str):
                    form = "a key is not a name"
                elif dq is None or not (pair[0] is None or isinstance(pair[0], str)):
                    form = (
                        "a value is no pair of a name (or None) and a set of names; the name of a node is `node.name`"
                    )
                else:
                    rows[name] = {"q": pair[0], "dq": dq}
        ev.fact("form", form)
        ev.fact("rows", rows)

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        message = (evidence.exception or {}).get("message", "")
        listed = ("tuple.index(x): x not in tuple", "'tuple' object has no attribute", "'immutable_list' object has no")
        if any(text in message for text in listed) or message.endswith("is not in list"):
            yield self.failed(
                "dq", "inside-lists", "A list was taken for a node, or a node was looked for outside of it."
            )

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        if evidence.facts["form"]:
            symptom = "The result is not a dict with a pair (name or None, set of names) for each observed value."
            yield Finding(None, False, "form", symptom, "", evidence.facts["form"])
            return
        prepared, converted = _pair(case)
        wanted = _pairs(prepared, converted)
        got: Pairs = {k: (r["q"], frozenset(r["dq"])) for k, r in evidence.facts["rows"].items()}
        ops = {n.name: n.op for n in prepared.graph.nodes}
        yield self._values(prepared, got, wanted, ops)
        if got and not set(got) & set(wanted):
            for criterion in ("q", "dq", "weights"):
                yield self.failed(criterion, None, "None of the observed values has an entry.")
            return
        activations = [name for name in wanted if ops[name] != "get_attr"]
        known = _wrong_pairs(prepared, converted)
        yield self._q(converted, got, wanted, activations, known)
        yield self._dq(converted, got, wanted, activations, known)
        yield self._weights(converted, got, wanted, [name for name in wanted if name not in activations], known)

    def _values(self, prepared: "fx.GraphModule", got: Pairs, wanted: Pairs, ops: dict[str, str]) -> Finding:
        missing, extra = set(wanted) - set(got), set(got) - set(wanted)
        if not missing and not extra:
            return self.passed("values")
        kind, symptom = None, "The keys are not the names of the observed values."
        if extra and all(ops.get(name) == "call_module" or name not in ops for name in extra):
            kind, symptom = "observer-named", "The keys are names of observers."
        elif missing and not extra and all(ops[name] == "get_attr" for name in missing):
            kind, symptom = "weights-left-out", "A weight has no entry."
        parts = (("missing: ", missing), ("too much: ", extra))
        detail = "; ".join(title + ", ".join(sorted(n)) for title, n in parts if n)
        return self.failed("values", kind, symptom, detail=detail)

    def _q(
        self, converted: "fx.GraphModule", got: Pairs, wanted: Pairs, activations: list[str], known: list[Pairs]
    ) -> Finding:
        wrong = [name for name in activations if name not in got or got[name][0] != wanted[name][0]]
        if not wrong:
            return self.passed("q")
        kind = _by_order(got, wrong, 0, known) or _numbers_only(converted, got, wanted, wrong, 0)
        nodes = nodes_of(converted)
        taken = [nodes[q] for q in (got[name][0] for name in wrong if name in got) if q in nodes]
        if kind is None and any("quantize_" not in str(n.target) for n in taken):
            kind = "first-reader"
        symptom = "The quantize node of an activation is not the one that stands in the place of its observer."
        return self.failed("q", kind, symptom, detail=_detail(got, wanted, wrong[0]))

    def _dq(
        self, converted: "fx.GraphModule", got: Pairs, wanted: Pairs, activations: list[str], known: list[Pairs]
    ) -> Finding:
        wrong = [name for name in activations if name not in got or got[name][1] != wanted[name][1]]
        if not wrong:
            return self.passed("dq")
        kind = _by_order(got, wrong, 1, known) or _numbers_only(converted, got, wanted, wrong, 1)
        if all(name in got and len(got[name][1]) == 1 and got[name][1] < wanted[name][1] for name in wrong):
            kind = "one-dq"
        elif kind is None and {n for name in wrong if name in got for n in got[name][1]} - set(nodes_of(converted)):
            kind = "by-order"  # names that were made up from their numbers
        symptom = "The dequantize nodes of an activation are not those that its readers read."
        return self.failed("dq", kind, symptom, detail=_detail(got, wanted, wrong[0]))

    def _weights(
        self, converted: "fx.GraphModule", got: Pairs, wanted: Pairs, weights: list[str], known: list[Pairs]
    ) -> Finding:
        wrong = [name for name in weights if got.get(name) != wanted[name]]
        if not wrong:
            return self.passed("weights")
        ops = {n.name: n.op for n in converted.graph.nodes}
        kind = None
        if not set(weights) & set(got):
            kind = "weights-left-out"
        elif all(name in got and ops.get(str(got[name][0])) == "get_attr" for name in wrong):
            kind = "constant-as-q"
        elif all(name in got and got[name][0] is None and got[name][1] == wanted[name][1] for name in wrong):
            kind = "always-stored"
        elif all(name in got and not got[name][1] for name in wrong):
            kind = "no-dq-of-weight"
        else:
            kind = _by_order(got, wrong, 1, known)
        symptom = "The entry of a weight is not right."
        return self.failed("weights", kind, symptom, detail=_detail(got, wanted, wrong[0]))


def _by_order(got: Pairs, wrong: list[str], part: int, pairings: list[Pairs]) -> str | None:
    """Return the wrong idea where a pairing by order gives exactly these entries."""
    for pairs in pairings:
        if all(name in got and name in pairs and got[name][part] == pairs[name][part] for name in wrong):
            return "by-order"
    return None


def _numbers_only(converted: "fx.GraphModule", got: Pairs, wanted: Pairs, wrong: list[str], part: int) -> str | None:
    """Whether all wrong entries are nodes of another place with the very same scale and zero point."""
    nodes = nodes_of(converted)

    def qparams(entry: str | frozenset[str] | None) -> set[str]:
        listed = [entry] if isinstance(entry, str) else entry or ()
        return {str(nodes[n].args[1:3]) if n in nodes else "?" for n in listed}

    same = all(
        name in got and got[name][part] and qparams(got[name][part]) == qparams(wanted[name][part]) for name in wrong
    )
    return "by-numbers" if same else None


def _detail(got: Pairs, wanted: Pairs, name: str) -> str:
    def words(pair: Any) -> str:
        return f"q {pair[0]}, dq {', '.join(sorted(pair[1])) or 'none'}" if pair else "no entry"

    return f"{name}: yours {words(got.get(name))}; in the graph {words(wanted[name])}"


def _pairs(prepared: "fx.GraphModule", converted: "fx.GraphModule") -> Pairs:
    new, found = nodes_of(converted), {}
    for node, _observer, value in observers_of(prepared):
        dq: set[str] = set()
        q: str | None = None
        for reader in node.users:
            for old_input, new_input in zip(reader.all_input_nodes, new[reader.name].all_input_nodes, strict=True):
                if old_input is node:
                    dq.add(new_input.name)
                    source = new_input.args[0]
                    q = None if source.op == "get_attr" else source.name
        found[value] = (q, frozenset(dq))
    return found


def _wrong_pairs(prepared: "fx.GraphModule", converted: "fx.GraphModule") -> list[Pairs]:
    """Pair activations, and weights, by the order of the nodes, and by the numbers in their names."""
    from common.graph_utils import short

    new = nodes_of(converted).values()
    q = [n for n in new if short(n.target).startswith("quantize_per") and n.op == "call_function"]
    dq = [n for n in new if short(n.target).startswith("dequantize_per")]
    q_data = [n for n in q if n.args[0].op != "get_attr"]
    dq_weights = [n for n in dq if n.args[0] not in q_data]
    places = [node for node, _observer, _value in observers_of(prepared)]
    data = [n for n in places if n.args[0].op != "get_attr"]
    weights = [n for n in places if n not in data]
    found: list[Pairs] = []
    for key in (None, _number):
        groups: list[list[Any]] = [data, q_data, weights, dq_weights]
        if key:
            groups = [sorted(group, key=key) for group in groups]
        pairs: Pairs = {}
        for place, first in zip(groups[0], groups[1], strict=False):
            pairs[place.args[0].name] = (first.name, frozenset(n.name for n in first.users))
        for place, only in zip(groups[2], groups[3], strict=False):
            source = only.args[0]
            pairs[place.args[0].name] = (None if source.op == "get_attr" else source.name, frozenset({only.name}))
        found.append(pairs)
    return found


def _number(node: Any) -> int:
    found = re.search(r"_(\d+)$", node.name)
    return int(found.group(1)) if found else 0


def _pair(case: Case) -> "tuple[fx.GraphModule, fx.GraphModule]":
    prepared, converted = stage(case, "prepared"), stage(case, "converted")
    if case.get("reordered"):
        reorder(converted)
    return prepared, converted
