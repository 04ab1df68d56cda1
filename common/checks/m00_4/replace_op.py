"""Replace one op by another one, wherever it is called."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from common.checks._nets import exported
from common.checks.m00_4 import _changed as ch
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import TENSOR, Evidence, Recorder
from common.exercise.graphs import GRAPH, GraphFacts

if TYPE_CHECKING:
    from torch import fx


class ReplaceOp(Exercise):
    """replace_op(gm, old, new): call another op wherever a graph calls this one, with the same arguments."""

    id = "m00_4.replace_op"
    kind = "core"
    minutes = 15
    criteria = {"all of them, and no other": 2, "arguments": 1, "recompiled": 1}
    parameters = ("gm", "old", "new")
    not_allowed = ("replace_pattern", "replace_pattern_with_filters")
    hints = (
        "Walk over `list(gm.graph.nodes)` and compare `node.target == old`: both are overloads, and equal if they are "
        "the same op.",
        "Section 4 shows two ways: a new target for the same node, or a new node, its consumers, and then the end of the "
        "old one.",
        "A node has `args` and `kwargs`, and the new one needs both. Do not forget `gm.recompile()`.",
    )
    misconceptions = {
        "first-only": "An op can be called in several places of a graph: do not stop at the first one.",
        "other-overloads": "`aten.mean` is a family of ops, and `aten.mean.dim` is one member (an overload). Targets of "
        "an exported graph are overloads: compare them and not their families or short names.",
        "by-string": "Names of different ops can have a part in common: `relu` is in `relu6`. Compare the targets "
        "themselves.",
        "nothing-replaced": "A target in an exported graph is an overload such as `aten.relu.default`. It is equal to "
        "no string and to no family (`aten.relu`).",
        "old-still-there": "A node that nobody reads any more is still in the graph, and still runs.",
        "erased-first": "A node can be erased only when nobody reads it. First the consumers, then `erase_node`.",
        "users-not-moved": "The new nodes are there, but the consumers read the old ones.",
        "new-is-a-family": "The target of a node in an ATen graph is an overload. A family runs too, but nothing that "
        "looks for the overload will find it.",
        "kwargs-lost": "A node can have arguments with names: `add` with `alpha=2` has it in `node.kwargs`.",
        "args-lost": "The new op needs all the arguments of the old one, and not only its first input.",
        "args-nested": "`(node.args,)` is a tuple with a tuple inside. `node.args` is the tuple of arguments already.",
        "out-of-order": "A graph runs from top to bottom. A new node has to stand where the old one stood, or at least "
        "behind what it reads and in front of what reads it.",
        "no-recompile": "The graph is right, but `gm(x)` runs the code that was generated before the change. "
        "`gm.recompile()` writes it anew.",
        "on-a-copy": "The function changes the graph that it is given. A copy is lost when the function ends.",
    }
    public_cases = (
        Case(model="conv_chain", old="aten.relu.default", new="aten.tanh.default"),
        Case(model="many_ops", old="aten.add.Tensor", new="aten.sub.Tensor", seed=1),
    )
    facts = {"after": GRAPH, "returned_another_graph": {"type": "boolean"}, "output": TENSOR}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        from torch import fx

        gm = exported(case.model, case.seed)
        returned = ch.call(ev, answer, gm, ch.op(case.old), ch.op(case.new))
        ev.fact("returned_another_graph", isinstance(returned, (fx.GraphModule, fx.Graph)) and returned is not gm)
        ch.record_output(ev, gm, case)

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        exception = evidence.exception or {}
        message = exception.get("message", "")
        if exception.get("during") or "used before it has been defined" in message:
            yield from self._structure(case, evidence)
        elif "Tried to erase Node" in message:
            symptom = "A node was to be erased while others still read it."
            yield self.failed("all of them, and no other", "erased-first", symptom)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        after, reference = evidence.graph("after"), _reference(case)
        findings = list(self._structure(case, evidence))
        yield from findings
        right = all(f.passed for f in findings)
        if ch.output_is(evidence, reference, case):
            yield self.passed("recompiled")
        elif right and ch.output_is(evidence, exported(case.model, case.seed), case):
            symptom = "The graph is changed, but calling it gives the same output as before."
            yield self.failed("recompiled", "no-recompile", symptom)
        else:
            symptom = "The output of the changed graph is not what it should be."
            yield ch.same_cause(findings, "recompiled", symptom)
        if right and not ch.computes(after, reference, case):
            yield self.failed("arguments", None, "The ops are right, but the graph computes something else.")

    def _structure(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        after, before, reference = evidence.graph("after"), exported(case.model, case.seed), _reference(case)
        ops = self._ops(case, evidence, after, before, reference)
        yield ops
        if sum(n.target == case.new for n in after.nodes) < ch.counts(reference)[case.new]:
            yield ch.same_cause([ops], "arguments", "There is a node too few to compare its arguments.")
        else:
            yield self._arguments(case, after, reference)

    def _ops(
        self, case: Case, evidence: Evidence, after: GraphFacts, before: "fx.GraphModule", reference: "fx.GraphModule"
    ) -> Finding:
        criterion = "all of them, and no other"
        got, was, wanted = ch.counts(after), ch.counts(before), ch.counts(reference)
        edge = ch.out_of_order(after)
        if edge is not None:
            symptom = "A node is read that stands further down in the graph, or is not in it any more."
            return self.failed(criterion, "out-of-order", symptom, detail=" → ".join(edge), graph="after", mark=(edge,))
        if got == wanted:
            return self.passed(criterion)
        left = [n for n in after.nodes if n.op == "call_function" and n.target == case.old]
        others = [t for t in was if t != case.old and got[t] < was[t]]
        family = case.new.rpartition(".")[0]
        mark = tuple(n.name for n in left)
        kind, symptom = None, "The ops of the changed graph are not what they should be."
        if got == was:
            kind, symptom = "nothing-replaced", "Nothing in the graph has been replaced."
            if evidence.facts.get("returned_another_graph"):
                kind, symptom = "on-a-copy", "The given graph is as it was; what has been changed is another one."
        elif others:
            same_family = case.old.rpartition(".")[0] in {t.rpartition(".")[0] for t in others}
            kind = "other-overloads" if same_family else "by-string"
            symptom = "Another op than the given one has been replaced too."
            mark = tuple(n.name for n in after.nodes if n.target == case.new)
        elif got[family]:
            kind, symptom = "new-is-a-family", "The new nodes do not call the given op, but its family."
        elif left and got[case.new] == wanted[case.new]:
            kind, symptom = "old-still-there", "The old nodes are still in the graph."
            if any(after.users(n.name) for n in left):
                kind, symptom = "users-not-moved", "The old nodes are still in the graph, and are still read."
        elif left:
            kind, symptom = "first-only", "Some nodes still call the old op."
        return self.failed(criterion, kind, symptom, graph="after", mark=mark)

    def _arguments(self, case: Case, after: GraphFacts, reference: "fx.GraphModule") -> Finding:
        wanted = [(len(n.args), dict(n.kwargs)) for n in reference.graph.nodes if str(n.target) == case.new]
        nodes = [n for n in after.nodes if n.op == "call_function" and n.target == case.new]
        got = [(len(n.args), dict(n.kwargs)) for n in nodes]
        mark = tuple(n.name for n in nodes)
        was = [n for n in reference.graph.nodes if str(n.target) == case.new]
        if any(len(n.args) == 1 and isinstance(n.args[0], list) for n in nodes) and not any(
            isinstance(n.args[0], (list, tuple)) for n in was
        ):
            symptom = "The arguments of a new node are packed into one."
            return self.failed("arguments", "args-nested", symptom, graph="after", mark=mark)
        if len(got) > len(wanted) or sorted(map(str, got)) == sorted(map(str, wanted)):
            return self.passed("arguments")  # with too many nodes the other criterion says so
        if sum(n + len(k) for n, k in got) >= sum(n + len(k) for n, k in wanted):
            return self.passed("arguments")  # spelled in another way: what the graph computes decides
        if sum(len(k) for _n, k in got) < sum(len(k) for _n, k in wanted):
            symptom = "A new node lacks the arguments with names (`kwargs`) of the old one."
            return self.failed("arguments", "kwargs-lost", symptom, graph="after", mark=mark)
        symptom = "A new node has fewer arguments than the old one."
        return self.failed("arguments", "args-lost", symptom, graph="after", mark=mark)


def _reference(case: Case) -> "fx.GraphModule":
    gm = exported(case.model, case.seed)
    for node in gm.graph.nodes:
        if node.target == ch.op(case.old):
            node.target = ch.op(case.new)
    gm.recompile()
    return gm
