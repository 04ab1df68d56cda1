"""The readers of every node, found from the args of the others."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from common.checks._nets import exported, name_arguments, named_only
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder

if TYPE_CHECKING:
    from torch import fx

GUARDS = "_guards_fn"
"""A node of every exported graph that checks the shapes of inputs: whether it is in the table does not matter."""


class UsersTable(Exercise):
    """users_table(gm): for each node of a graph, the nodes that read it."""

    id = "m00_2.users_table"
    kind = "practice"
    minutes = 10
    criteria = {"every node": 1, "all readers": 2, "each once": 1}
    must_return = True
    parameters = ("gm",)
    not_allowed = ("users",)
    hints = (
        "Each node says what it reads. You want to know the reverse: so go through the readers, and note at each of their "
        "inputs who reads it.",
        "Begin with an entry for every node, so that nodes which nobody reads are there too.",
        "`node.all_input_nodes` gives every node that `node` reads, inside of lists too, and each of them once.",
    )
    misconceptions = {
        "form": "The result is a dict: the name of a node → the names of the nodes that read it.",
        "nodes": "A node belongs to one graph. Its name (`node.name`) is a text, which can be printed, looked up and compared.",
        "in-kwargs": "An argument may be given by its name. The node then stands in `kwargs`, and not in `args`.",
        "plain-values": "`node.args` mixes nodes with plain values: numbers, lists, None. Only a node has a name.",
        "text-search": "A piece of text is found in longer names too: “relu” is in “relu_1”, which is another node. Compare "
        "nodes with nodes.",
        "next-node": "The next node in the list is not always the one that reads. Who reads what stands in the args only.",
        "one-list": "All entries are one and the same list, so what is added to one is in all of them. Each node needs a list "
        "of its own.",
        "counts-args": "A node that takes the same input in two places is one reader, not two. (`node.users` sees it in "
        "this way as well.)",
        "weights-left-out": "A parameter is a node too (`get_attr`), and somebody reads it.",
        "inputs-left-out": "The inputs of the graph are nodes like all others, and somebody reads them.",
        "unread-left-out": "A node that nobody reads is a node all the same: its list is empty. In this way you find out "
        "what can be removed.",
        "inside-lists": "A node such as cat holds its inputs in a list: `args[0]` is the list, not a node.",
        "first-argument": "A node can read several nodes, in any of its arguments.",
        "inputs-instead": "The table shows what each node reads. Asked for was the other direction: who reads it.",
        "output-left-out": "The output is a node too: it reads what the graph returns, and holds it in a tuple inside of its "
        "args.",
        "last-reader": "A node can have several readers. Who assigns to the entry instead of adding to it, keeps the last.",
    }
    public_cases = (Case(model="residual"), Case(model="adds"), Case(model="cat_pool", seed=1))
    facts = {
        "table": {
            "type": ["object", "null"],
            "additionalProperties": {"type": "array", "items": {"type": "string"}, "maxItems": 200},
        },
        "strange": {"type": "string"},
        "node_keys": {"type": "boolean"},
        "node_values": {"type": "boolean"},
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        from torch import fx

        returned = ev.call(answer, _graph(case))
        if not isinstance(returned, Mapping):
            ev.fact("table", None)
            ev.fact("strange", f"it is a {type(returned).__name__}")
            return
        with ev.student("the table was read"):
            entries = list(returned.items())
            strange = [(k, v) for k, v in entries if isinstance(v, (str, Mapping)) or not isinstance(v, Iterable)]
            read = [(k, list(v)) for k, v in entries if not strange]
        if strange:
            ev.fact("table", None)
            ev.fact("strange", f"the entry of {_name(strange[0][0])} is a {type(strange[0][1]).__name__}"[:200])
            return
        ev.fact("table", {_name(k): [_name(u) for u in v] for k, v in read})
        ev.fact("node_keys", any(isinstance(k, fx.Node) for k, _v in read))
        ev.fact("node_values", any(isinstance(u, fx.Node) for _k, v in read for u in v))

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        message = (evidence.exception or {}).get("message", "")
        if re.search(
            r"'(immutable_list|list|tuple|int|float|bool|NoneType)' object has no attribute '(name|op)'", message
        ):
            symptom = "A plain value among the arguments was taken for a node."
            yield self.failed("all readers", "plain-values", symptom, detail=message)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        raw = evidence.facts["table"]
        nodes = {n.name: n for n in _graph(case).graph.nodes if n.name != GUARDS}
        if raw is None or not set(raw) & set(nodes):
            symptom = "The result is not a dict from names of nodes to lists of names."
            detail = evidence.facts.get("strange", "")
            yield Finding(None, False, "form", symptom, self.misconceptions["form"], detail)
            return
        if evidence.facts["node_keys"]:
            yield self.failed("every node", "nodes", "The keys of the table are nodes, and not their names.")
        if evidence.facts["node_values"]:
            yield self.failed("all readers", "nodes", "The lists hold nodes, and not their names.")
        got = {k: [u for u in v if u != GUARDS] for k, v in raw.items() if k != GUARDS}
        wanted = {name: {u.name for u in n.users} - {GUARDS} for name, n in nodes.items()}
        yield self._every_node(nodes, wanted, got)
        yield self._readers(nodes, wanted, got)
        double = sorted(k for k, v in got.items() if len(set(v)) < len(v))
        if double:
            symptom = "A reader stands in a list more than once."
            yield self.failed("each once", "counts-args", symptom, detail=f"at: {', '.join(double)}")
        else:
            yield self.passed("each once")

    def _every_node(self, nodes: "dict[str, fx.Node]", wanted: dict[str, set[str]], got: dict[str, Any]) -> Finding:
        missing, extra = set(wanted) - set(got), set(got) - set(wanted)
        if not missing and not extra:
            return self.passed("every node")
        if extra:
            symptom = "There is an entry that is no node of the graph."
            return self.failed("every node", None, symptom, detail=f"no nodes: {', '.join(sorted(extra))}")
        kind = None
        if any(wanted[m] and nodes[m].op == "get_attr" for m in missing):
            kind = "weights-left-out"
        elif any(wanted[m] and nodes[m].op == "placeholder" for m in missing):
            kind = "inputs-left-out"
        elif all(not wanted[m] for m in missing):
            kind = "unread-left-out"
        return self.failed("every node", kind, "Nodes are missing.", detail=f"missing: {', '.join(sorted(missing))}")

    def _readers(self, nodes: "dict[str, fx.Node]", wanted: dict[str, set[str]], got: dict[str, Any]) -> Finding:
        criterion = "all readers"
        wrong = {k for k in set(wanted) & set(got) if set(got[k]) != wanted[k]}
        if not wrong:
            return self.passed(criterion)
        k = min(wrong)
        detail = f"{k}: yours {sorted(set(got[k])) or 'nobody'}, read by {sorted(wanted[k]) or 'nobody'}"
        if all(set(got[w]) == {n.name for n in nodes[w].all_input_nodes} for w in wrong):
            symptom = "The lists have what a node reads, and not who reads it."
            return self.failed(criterion, "inputs-instead", symptom, detail=detail)
        order = list(nodes)
        if len(got) > 1 and len({tuple(v) for v in got.values()}) == 1:
            symptom = "The entries of all nodes are alike."
            return self.failed(criterion, "one-list", symptom, detail=detail)
        if any(got[w] for w in wrong) and all(
            set(got[k]) <= set(order[order.index(k) + 1 :][:1]) for k in got if k in nodes
        ):
            return self.failed(
                criterion, "next-node", "The lists have the next node, and not who reads.", detail=detail
            )
        lost = {(w, u) for w in wrong for u in wanted[w] - set(got[w])}
        strange = any(set(got[w]) - wanted[w] for w in wrong)
        kind, symptom = None, "A node has other readers than the table says."
        if strange and all(
            any(w in str(a) for a in (nodes[u].args, nodes[u].kwargs))
            for w in wrong
            for u in set(got[w]) - wanted[w]
            if u in nodes
        ):
            kind = "text-search"
        elif lost and not strange:
            symptom = "Readers are missing."
            others = [(w, u) for w, u in lost if nodes[u].op != "output" or u in nodes[w].users]
            hidden = [(w, u) for w, u in others if not any(a is nodes[w] for a in nodes[u].args)]
            kind = None
            if all(nodes[u].op == "output" for _w, u in lost):
                kind = "output-left-out"
            elif all(named_only(nodes[u], nodes[w]) for w, u in lost):
                kind = "in-kwargs"
            elif all((w, u) in hidden for w, u in lost):
                kind = "inside-lists"
            elif all(got[w] for w, _u in lost):
                kind = "last-reader"
            elif all(nodes[u].args[0] is not nodes[w] for w, u in lost):
                kind = "first-argument"
        return self.failed(criterion, kind, symptom, detail=detail)


def _graph(case: Case) -> "fx.GraphModule":
    """The graph of a case; with `named`, arguments behind the first stand in `kwargs`."""
    gm = exported(case.model, case.seed)
    if case.get("named"):
        name_arguments(gm)
    return gm


def _name(value: Any) -> str:
    """A node's name, whether the table holds nodes or names."""
    return value if isinstance(value, str) else str(getattr(value, "name", type(value).__name__))
