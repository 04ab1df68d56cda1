"""Put an op behind a node, so that everybody who read the node reads the op."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from common.checks._nets import exported
from common.checks.m00_4 import _changed as ch
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import TENSOR, Evidence, Recorder
from common.exercise.graphs import GRAPH, GraphFacts, graph_facts

if TYPE_CHECKING:
    from torch import fx


class InsertOpAfter(Exercise):
    """insert_op_after(gm, node, target, args): put an op behind a node, and move the node's consumers to it."""

    id = "m00_4.insert_op_after"
    kind = "core"
    minutes = 15
    criteria = {"inserted": 2, "consumers moved": 1, "recompiled": 1}
    parameters = ("gm", "node", "target", "args")
    not_allowed = ("splice_op", "splice")
    hints = (
        "Three steps, as in section 1: a new node, the consumers, the code.",
        "`gm.graph.call_function(target, (node, *args))` makes the node at the place where "
        "`with gm.graph.inserting_after(node):` puts the cursor.",
        "`node.users` has all consumers. Keep them in a list *before* the new node is made (it becomes one of them), and "
        "call `replace_input_with` on each.",
    )
    misconceptions = {
        "nothing-inserted": "The new op needs a node of its own in the graph. To change the target of the old node takes "
        "the old op away.",
        "self-loop": "The new node reads the old one, so it is one of its users. Whoever moves *all* users moves the new "
        "node as well, and it reads itself.",
        "before-producer": "A graph runs from top to bottom. The new node has to stand behind the node that it reads.",
        "after-consumers": "A graph runs from top to bottom. Without a cursor a new node goes to the very end, behind the "
        "nodes that read it. And the first one of `node.users` need not be the first one in the list.",
        "wrong-input": "What a node reads is decided by its arguments, and not by its place in the list.",
        "args-dropped": "The op has further arguments behind its input. Without them it takes its defaults, if it has "
        "any.",
        "args-nested": "`(node, args)` is a tuple with a tuple inside. The arguments stand side by side: "
        "`(node, *args)`.",
        "called-directly": "A node is a line of a program and not a tensor: an op cannot be called on it. The graph has "
        "to get a line that calls the op.",
        "users-not-moved": "A new node changes nothing as long as nobody reads it. The consumers still hold the old node "
        "in their arguments. The output is a consumer too, and holds it in a tuple inside of them.",
        "inside-lists": "A consumer can hold the node inside of a list or a tuple, as cat and the output do. "
        "`replace_input_with` finds it there as well; a loop of your own over `args` does not.",
        "args-overwritten": "Only the node that a consumer reads is to be another one. What else stands in its arguments, and "
        "the lists and tuples in them, stays as it is: `replace_input_with` sees to that.",
        "one-for-each": "One new node is enough, however many consumers there are: all of them read it.",
        "live-users": "`node.users` changes while the consumers are moved. Walk over a list of its own: `list(node.users)`.",
        "on-a-copy": "The function changes the graph that it is given. A copy is lost when the function ends.",
        "only-first-user": "A node can have several consumers, and one of them can read it in two places. All of them "
        "have to read the new node.",
        "no-recompile": "The graph is right, but `gm(x)` runs the code that was generated before the change. "
        "`gm.recompile()` writes it anew.",
        "returns-nothing": "The next steps need the new node, for example to insert something else behind it.",
    }
    public_cases = (
        Case(model="conv_relu", node="relu", op="aten.neg.default", args=[]),
        Case(model="residual", node="relu", op="aten.clamp.default", args=[0.1, 0.4], seed=1),
    )
    facts = {"after": GRAPH, "returned": {"type": ["string", "null"]}, "output": TENSOR}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        from torch import fx

        gm = exported(case.model, case.seed)
        node = next(n for n in gm.graph.nodes if n.name == case.node)
        # As in a graph that comes from export: the order of the users is not that of the graph.
        node.users = dict.fromkeys(reversed(node.users))
        returned = ch.call(ev, answer, gm, node, ch.op(case.op), tuple(case.args))
        in_graph = isinstance(returned, fx.Node) and any(n is returned for n in gm.graph.nodes)
        ev.fact("returned", returned.name if in_graph else None)
        ch.record_output(ev, gm, case)

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        exception = evidence.exception or {}
        if exception.get("during") or "used before it has been defined" in exception.get("message", ""):
            yield from self._structure(case, evidence, broken=True)  # the reason is in the graph
        elif "instead found type 'Node'" in exception.get("message", ""):
            symptom = "The op was called on a node, as if the node were data."
            yield self.failed("inserted", "called-directly", symptom)
        elif "changed size during iteration" in exception.get("message", ""):
            symptom = "The consumers changed while the answer walked over them."
            yield self.failed("consumers moved", "live-users", symptom)
        elif exception.get("type") == "ValueError" and re.search(
            r"^(\w+ is not in list|tuple.index\(x\): x not in tuple)$", exception["message"]
        ):
            symptom = "The node was not found among the arguments of a consumer."
            yield self.failed("consumers moved", "inside-lists", symptom, detail=exception["message"])

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        findings = list(self._structure(case, evidence))
        yield from findings
        reference = _reference(case)
        if ch.output_is(evidence, reference, case):
            yield self.passed("recompiled")
        elif all(f.passed for f in findings) and ch.output_is(evidence, exported(case.model, case.seed), case):
            symptom = "The graph is changed, but calling it gives the same output as before."
            yield self.failed("recompiled", "no-recompile", symptom)
        else:
            symptom = "The output of the changed graph is not what it should be."
            yield ch.same_cause(findings, "recompiled", symptom)
        if all(f.passed for f in findings) and not ch.computes(evidence.graph("after"), reference, case):
            yield self.failed("inserted", None, "The op is in place, but the graph computes something else.")

    def _structure(self, case: Case, evidence: Evidence, broken: bool = False) -> Iterator[Finding]:
        after, before = evidence.graph("after"), exported(case.model, case.seed)
        known = {n.name for n in before.graph.nodes}
        new = [n for n in after.nodes if n.name not in known]
        calls = [n for n in new if n.op == "call_function" and n.target == case.op]
        if not calls:
            kind, symptom = "nothing-inserted", "The graph has no new node that calls the given op."
            if after.raw == graph_facts(before):
                kind, symptom = "on-a-copy", "The given graph is as it was."
            mark = tuple(n.name for n in new)
            for criterion in ("inserted", "consumers moved"):
                yield self.failed(criterion, kind, symptom, graph="after", mark=mark)
            return
        if len(new) > 1:
            symptom = "The graph has more new nodes than one."
            kind = "one-for-each" if len(calls) == len(new) else None
            yield self.failed("inserted", kind, symptom, graph="after", mark=tuple(n.name for n in new))
        else:
            yield self._insertion(case, evidence, after, calls[0].name)
        yield self._consumers(case, after, before, {n.name for n in new}, broken)

    def _insertion(self, case: Case, evidence: Evidence, after: GraphFacts, new: str) -> Finding:
        criterion, node = "inserted", after.by_name[new]
        if new in node.inputs:
            symptom = "The new node is its own input, so the graph cannot run."
            return self.failed(criterion, "self-loop", symptom, graph="after", mark=((new, new),))
        if node.inputs != [case.node]:
            symptom = "The new node does not read the given node."
            got = f"reads {', '.join(node.inputs) or 'nothing'}, should read {case.node}"
            return self.failed(criterion, "wrong-input", symptom, detail=got, graph="after", mark=(new,))
        if after.position(new) < after.position(case.node):
            symptom = "The new node stands in front of the node that it reads."
            return self.failed(criterion, "before-producer", symptom, graph="after", mark=((case.node, new),))
        if any(after.position(user) < after.position(new) for user in after.users(new)):
            symptom = "The new node stands behind nodes that read it."
            return self.failed(criterion, "after-consumers", symptom, graph="after", mark=(new,))
        if any(isinstance(a, list) for a in node.args):
            symptom = "The further arguments of the op are packed into one."
            return self.failed(criterion, "args-nested", symptom, graph="after", mark=(new,))
        if case.args and len(node.args) + len(node.kwargs) == 1:
            symptom = "The new node has lost the further arguments of the op."
            return self.failed(criterion, "args-dropped", symptom, graph="after", mark=(new,))
        if evidence.facts.get("returned") != new:
            symptom = "The graph is right, but the function does not return the new node."
            return self.failed(criterion, "returns-nothing", symptom)
        return self.passed(criterion)

    def _consumers(
        self, case: Case, after: GraphFacts, before: "fx.GraphModule", new: set[str], broken: bool
    ) -> Finding:
        node = next(n for n in before.graph.nodes if n.name == case.node)
        wanted = {user.name for user in node.users} - {ch.GUARDS}
        left = [u for u in after.users(case.node) if u not in new | {ch.GUARDS}]
        moved = {u for name in new for u in after.users(name)}
        if not left and wanted <= moved:
            facts = GraphFacts(graph_facts(before))
            other = [u for u in sorted(wanted) if _arguments(after, u) != _arguments(facts, u)]
            if not other or not broken:  # written in another way, and it runs: what it computes decides
                return self.passed("consumers moved")
            symptom = "A consumer has other arguments than before."
            return self.failed("consumers moved", "args-overwritten", symptom, graph="after", mark=tuple(other))
        some = bool(wanted & moved)
        symptom = "The consumers still read the old node, so the new one has no effect."
        if some:
            symptom = "Some consumers still read the old node."
        kind = "only-first-user" if some else "users-not-moved"
        nested = [u for u in left if u in after.by_name and {"node": case.node} not in after.by_name[u].args]
        if some and left and nested == left:
            kind = "inside-lists"
        mark = tuple((case.node, u) for u in left)
        detail = f"still reading {case.node}: {', '.join(left)}"
        return self.failed("consumers moved", kind, symptom, detail=detail, graph="after", mark=mark)


def _arguments(graph: GraphFacts, name: str) -> Any:
    """The arguments of a node, whatever nodes stand in them."""

    def form(value: Any) -> Any:
        if isinstance(value, dict):
            return "node" if set(value) == {"node"} else {k: form(v) for k, v in value.items()}
        return [form(v) for v in value] if isinstance(value, list) else value

    node = graph.by_name[name]
    return form(node.args), form(node.kwargs)


def _reference(case: Case) -> "fx.GraphModule":
    from common.graph_utils import splice_op

    gm = exported(case.model, case.seed)
    splice_op(gm, next(n for n in gm.graph.nodes if n.name == case.node), ch.op(case.op), *case.args)
    gm.recompile()
    return gm
