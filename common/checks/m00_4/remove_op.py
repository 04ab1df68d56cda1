"""Take an op out of a graph, with everything that only it had needed."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from common.checks._nets import exported
from common.checks.m00_4 import _changed as ch
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import TENSOR, Evidence, Recorder
from common.exercise.graphs import GRAPH, GraphFacts

if TYPE_CHECKING:
    from torch import fx


class RemoveOp(Exercise):
    """remove_op(gm, node): take an op out of a graph; its consumers read its first input instead."""

    id = "m00_4.remove_op"
    kind = "practice"
    minutes = 15
    criteria = {"bypassed": 2, "nothing left over": 1, "recompiled": 1}
    parameters = ("gm", "node")
    hints = (
        "First the consumers: they have to read `node.args[0]` instead of `node`. Then nobody reads the node any more, "
        "and it can go.",
        "`node.replace_all_uses_with(...)`, `gm.graph.erase_node(node)`.",
        "What only this node had read is dead now: `gm.graph.eliminate_dead_code()` finds it, chains included, and "
        "leaves alone what works in place.",
    )
    misconceptions = {
        "erased-first": "A node can be erased only when nobody reads it. First the consumers, then `erase_node`.",
        "not-erased": "A node that nobody reads is still in the graph, and still runs. `eliminate_dead_code` does not take it "
        "away where it works in place: `erase_node` does.",
        "still-read": "Each consumer holds the node in its own arguments, and all of them are to read the first argument of the "
        "node instead. Then the node can be erased. Another op in its place is not what was asked for.",
        "wrong-input": "An op can have several inputs. Its first argument is the one that takes its place, whatever "
        "stands in front of the node in the list.",
        "dead-code": "Weights and ops that only this node had read are of no use any more. They stay in the graph, and "
        "run, until somebody takes them away.",
        "one-pass": "When a dead op is erased, what it had read may be dead too. Go from the bottom of the graph to the "
        "top, or go on until nothing changes.",
        "in-place-erased": "An op that works in place has an effect although nobody reads its value: the others read the "
        "tensor into which it writes.",
        "too-much": "Only the op and what nobody needs any more is to go.",
        "no-recompile": "The graph is right, but `gm(x)` runs the code that was generated before the change. "
        "`gm.recompile()` writes it anew.",
        "users-of-the-input": "`replace_all_uses_with` is called on the node that is to be read no more.",
    }
    public_cases = (
        Case(model="conv_bn_drop", node="batch_norm"),
        Case(model="residual", node="add", seed=1),
        Case(model="many_ops", node="sub", seed=2),
        Case(model="halves", node="tanh", seed=3),
    )
    facts = {"after": GRAPH, "output": TENSOR}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        gm = _graph(case)
        ch.call(ev, answer, gm, next(n for n in gm.graph.nodes if n.name == case.node))
        ch.record_output(ev, gm, case)

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        exception = evidence.exception or {}
        after = evidence.graph("after")
        if exception.get("during"):  # the answer came to its end, and the changed graph did not run
            yield from self._structure(case, evidence)
        elif "Tried to erase Node" in exception.get("message", "") and any(n.name in n.inputs for n in after.nodes):
            symptom = "A node reads itself."
            mark = tuple((n.name, n.name) for n in after.nodes if n.name in n.inputs)
            yield self.failed("bypassed", "users-of-the-input", symptom, graph="after", mark=mark)
        elif "Tried to erase Node" in exception.get("message", ""):
            symptom = "A node was to be erased while others still read it."
            yield self.failed("bypassed", "erased-first", symptom)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        findings = list(self._structure(case, evidence))
        yield from findings
        still_writes = case.node in evidence.graph("after").by_name and _in_place(
            next(n for n in _graph(case).graph.nodes if n.name == case.node)
        )
        if ch.output_is(evidence, _reference(case), case):
            yield self.passed("recompiled")
        elif findings[0].passed and not still_writes and ch.output_is(evidence, _graph(case), case):
            symptom = "The graph is changed, but calling it gives the same output as before."
            yield self.failed("recompiled", "no-recompile", symptom)
        else:
            symptom = "The output of the changed graph is not what it should be."
            yield ch.same_cause(findings, "recompiled", symptom)

    def _structure(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        after, before = evidence.graph("after"), _graph(case)
        yield self._bypassed(case, after, before)
        yield self._rest(case, after, before)

    def _bypassed(self, case: Case, after: GraphFacts, before: "fx.GraphModule") -> Finding:
        criterion = "bypassed"
        nodes = {n.name: n for n in before.graph.nodes}
        node = nodes[case.node]
        kept, consumers = node.args[0].name, [u.name for u in node.users]
        edge = ch.out_of_order(after)
        if edge is not None:
            loop = edge[0] == case.node or edge[0] == edge[1]
            symptom = "A node is read that stands further down in the graph, or is not in it any more."
            detail = " → ".join(edge)
            kind = "users-of-the-input" if loop else None
            return self.failed(criterion, kind, symptom, detail=detail, graph="after", mark=(edge,))
        still = after.users(case.node)
        if still:
            symptom = "The node is still read."
            mark = tuple((case.node, u) for u in still)
            return self.failed(criterion, "still-read", symptom, graph="after", mark=mark)
        gone = [u for u in consumers if u not in after.by_name]
        if gone:
            symptom = "A consumer of the node is gone too."
            return self.failed(criterion, "too-much", symptom, detail=", ".join(gone))
        wrong = [u for u in consumers if kept not in after.by_name[u].inputs]
        if wrong:
            symptom = "A consumer does not read the first input of the node that was taken out."
            detail = f"{wrong[0]} reads {', '.join(after.by_name[wrong[0]].inputs)}; asked for {kept}"
            return self.failed(criterion, "wrong-input", symptom, detail=detail, graph="after", mark=(wrong[0],))
        unknown = [n.name for n in after.nodes if n.op == "call_function" and n.name not in nodes]
        if unknown:
            symptom = "There is a new op in the graph."
            return self.failed(criterion, None, symptom, graph="after", mark=tuple(unknown))
        if case.node in after.by_name and _in_place(node):
            return self.passed(criterion)  # that it still writes into what the others read, the other criterion says
        if ch.computes(after, _reference(case), case, before):
            return self.passed(criterion)
        lost = [n.name for n in before.graph.nodes if _in_place(n) and n.name not in after.by_name]
        lost = [name for name in lost if name != case.node]
        kind = "in-place-erased" if lost else "wrong-input"
        symptom = "The graph that is left computes something else than it should."
        if lost:
            symptom = "An op that works in place is gone, and the others now read a tensor without its effect."
        return self.failed(criterion, kind, symptom, graph="after")

    def _rest(self, case: Case, after: GraphFacts, before: "fx.GraphModule") -> Finding:
        criterion = "nothing left over"
        if case.node in after.by_name:
            symptom = "The node is still in the graph."
            return self.failed(criterion, "not-erased", symptom, graph="after", mark=(case.node,))
        dead = _dead(after, before)
        if not dead:
            return self.passed(criterion)
        nodes = {n.name: n for n in before.graph.nodes}
        reads = {n.name for n in nodes[case.node].all_input_nodes}
        chain = not set(dead) & reads
        symptom = "Nodes whose value nobody needs any more are still in the graph."
        kind = "one-pass" if chain else "dead-code"
        return self.failed(criterion, kind, symptom, detail=", ".join(dead), graph="after", mark=tuple(dead))


def _graph(case: Case) -> "fx.GraphModule":
    """The graph of a case; `renamed` gives nodes other names, which say nothing about what they do."""
    gm = exported(case.model, case.seed)
    names = case.get("renamed", {})
    for node in gm.graph.nodes:
        if node.name in names:
            node._rename(names[node.name])
    gm.recompile()
    return gm


def _in_place(node: "fx.Node") -> bool:
    schema = getattr(node.target, "_schema", None)
    return schema is not None and schema.is_mutable


def _dead(after: GraphFacts, before: "fx.GraphModule") -> list[str]:
    """Nodes that nobody needs and that somebody needed before the change."""
    useful = {n.name for n in before.graph.nodes if n.users}
    keep = {n.name for n in before.graph.nodes if _in_place(n) or n.op in ("placeholder", "call_module", "output")}
    dead: list[str] = []
    for node in reversed(after.nodes):
        if node.name in keep or node.name not in useful:
            continue
        if all(user in dead for user in after.users(node.name)):
            dead.append(node.name)
    return dead[::-1]


def _reference(case: Case) -> "fx.GraphModule":
    gm = _graph(case)
    node = next(n for n in gm.graph.nodes if n.name == case.node)
    node.replace_all_uses_with(node.args[0])
    gm.graph.erase_node(node)
    gm.recompile()
    return gm
