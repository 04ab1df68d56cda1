"""The splice: put a module behind a node of an exported graph."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from common.checks._nets import exported
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import TENSOR, Evidence, Recorder
from common.exercise.graphs import GRAPH, GraphFacts, run_facts

if TYPE_CHECKING:
    import torch
    from torch import fx, nn

GUARDS = "_guards_fn"
"""A node of every exported graph that checks the shapes of inputs: whether it reads the new node does not matter."""


class InsertAfter(Exercise):
    """insert_after(gm, node, module, name): put a module behind a node, and move the node's consumers to it."""

    id = "m02_2.insert_after"
    kind = "core"
    minutes = 15
    criteria = {"module found": 1, "spliced in": 2, "consumers moved": 1}
    parameters = ("gm", "node", "module", "name")
    not_allowed = ("splice", "prepare_pt2e", "prepare_qat_pt2e")
    hints = (
        "Three things have to happen: the graph module must know the module, the graph must call it, and whoever "
        "read the old node must now read the new one.",
        "`gm.add_submodule(...)`, `with gm.graph.inserting_after(...)`, `gm.graph.call_module(...)`, and "
        "`node.replace_all_uses_with(...)`.",
        "The new node itself reads the old node. If *all* uses are replaced, its own input is replaced as well. "
        "Look at the parameter `delete_user_cb` of `replace_all_uses_with`, or move the consumers first.",
    )
    misconceptions = {
        "no-submodule": "A call_module node holds only a name. The module behind that name has to be added to the "
        "GraphModule, or the call leads nowhere.",
        "self-loop": "The new node reads the old one, so it is one of its users. Whoever moves *all* users, with "
        "`replace_all_uses_with` or over a list that was made after the new node, moves the new node as well.",
        "users-not-moved": "A new node changes nothing as long as nobody reads it. The consumers still hold the old "
        "node in their arguments.",
        "only-first-user": "A node can have several consumers, and all of them have to read the new node.",
        "before-producer": "A graph runs from top to bottom. The new node has to stand behind the node that it reads.",
        "after-consumers": "A graph runs from top to bottom. The new node has to stand in front of the nodes that read it.",
        "nothing-inserted": "A submodule alone changes nothing, and any node can be observed: an operation, an input, a "
        "weight. The graph needs a node that calls the module.",
        "wrong-name": "The caller finds the module under the name that it gave, and so does the graph's code.",
        "wrong-place": "`inserting_after(node)` only chooses the place in the list of nodes. What a node reads is "
        "decided by its arguments.",
        "module-copied": "The caller keeps a hold of the module to read it later (an observer is read after "
        "calibration). A copy in the graph would see the data, and the caller's module would stay empty.",
        "called-directly": "Calling `module(...)` on a node computes nothing: a node is a line of a program and not a "
        "tensor. The graph has to get a line that calls the module.",
        "returns-nothing": "The next steps need the new node, for example to insert something else behind it.",
    }
    public_cases = (
        Case(model="conv_relu", node="relu", name="spy"),
        Case(model="residual", node="relu", name="spy", seed=1),
    )
    facts = {
        "after": GRAPH,
        "returned": {"type": ["string", "null"]},
        "module_is_the_given_one": {"type": "boolean"},
        "output": TENSOR,
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        from torch import fx

        gm = exported(case.model, case.seed)
        node = next(n for n in gm.graph.nodes if n.name == case.node)
        spy = _spy()
        returned = ev.call(answer, gm, node, spy, case.name)
        ev.graph("after", gm)
        in_graph = isinstance(returned, fx.Node) and any(n is returned for n in gm.graph.nodes)
        ev.fact("returned", returned.name if in_graph else None)
        ev.fact("module_is_the_given_one", getattr(gm, case.name, None) is spy)
        with ev.student("the changed graph was run"):
            gm.recompile()
            ev.tensor("output", gm(*_inputs(case)))

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        exception = evidence.exception or {}
        if exception.get("during"):  # the graph was changed, and did not run: the reason is in the graph
            yield from self._structure(case, evidence)
        elif f"no attribute `{case.name}`" in exception.get("message", ""):  # torch looks for the module at once
            symptom = "The graph was told to call a module that the graph module does not have."
            yield self.failed("module found", "no-submodule", symptom)
        elif "'Node' object has no attribute" in exception.get("message", "") and any(
            "_call_impl" in frame for frame in exception["frames"]
        ):
            symptom = "The module was called on a node, as if the node were data."
            yield self.failed("spliced in", "called-directly", symptom)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        import torch

        findings = list(self._structure(case, evidence))
        yield from findings
        if all(f.passed for f in findings):
            expected = _spliced(case)(*_inputs(case))
            rebuilt = run_facts(
                evidence.graph("after"), exported(case.model, case.seed), {case.name: _spy()}, _inputs(case)
            )
            if not (torch.equal(rebuilt, expected) and torch.equal(evidence.tensor("output"), expected)):
                symptom = "The parts are in place, but the changed graph computes something else than it should."
                yield self.failed("consumers moved", None, symptom)

    def _structure(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        after, before = evidence.graph("after"), exported(case.model, case.seed)
        new = [n.name for n in after.calls(case.name)]
        if not new:
            yield from self._not_called(case, after, before)
            return
        yield self._module(case, evidence, after)
        if len(new) > 1:
            symptom = "The module is called at more than one place."
            yield self.failed("spliced in", None, symptom, graph="after", mark=tuple(new))
        else:
            yield self._splice(case, evidence, after, new[0])
        yield self._consumers(case, after, before, new)

    def _not_called(self, case: Case, after: GraphFacts, before: "fx.GraphModule") -> Iterator[Finding]:
        known = {n.name for n in before.graph.nodes}
        others = [n for n in after.nodes if n.op == "call_module" and n.name not in known]
        kind, symptom, detail = "nothing-inserted", "No node of the graph calls the module.", ""
        if others:
            kind, symptom = "wrong-name", "The module is called under another name than the given one."
            detail = f"it stands under {others[0].target!r}, asked for: {case.name!r}"
        for criterion in self.criteria:
            yield self.failed(
                criterion, kind, symptom, detail=detail, graph="after", mark=tuple(n.name for n in others)
            )

    def _module(self, case: Case, evidence: Evidence, after: GraphFacts) -> Finding:
        calls = tuple(n.name for n in after.calls(case.name))
        if case.name not in after.modules:
            symptom = "The graph module has no submodule of the given name."
            return self.failed("module found", "no-submodule", symptom, graph="after", mark=calls)
        if not evidence.facts.get("module_is_the_given_one"):
            symptom = "The graph holds another object than the given module."
            return self.failed("module found", "module-copied", symptom)
        return self.passed("module found")

    def _splice(self, case: Case, evidence: Evidence, after: GraphFacts, new: str) -> Finding:
        inputs = after.by_name[new].inputs
        criterion = "spliced in"
        if new in inputs:
            symptom = "The new node is its own input, so the graph cannot run."
            return self.failed(criterion, "self-loop", symptom, graph="after", mark=((new, new),))
        if inputs != [case.node]:
            symptom = "The new node does not read the given node."
            got = f"reads {', '.join(inputs) or 'nothing'}, should read {case.node}"
            return self.failed(criterion, "wrong-place", symptom, detail=got, graph="after", mark=(new,))
        if after.position(new) < after.position(case.node):
            symptom = "The new node stands in front of the node that it reads."
            return self.failed(criterion, "before-producer", symptom, graph="after", mark=((case.node, new),))
        if any(after.position(user) < after.position(new) for user in after.users(new)):
            symptom = "The new node stands behind nodes that read it."
            return self.failed(criterion, "after-consumers", symptom, graph="after", mark=(new,))
        if evidence.facts.get("returned") != new:
            symptom = "The graph is right, but the function does not return the new node."
            return self.failed(criterion, "returns-nothing", symptom)
        return self.passed(criterion)

    def _consumers(self, case: Case, after: GraphFacts, before: "fx.GraphModule", new: list[str]) -> Finding:
        node = next(n for n in before.graph.nodes if n.name == case.node)
        wanted = {user.name for user in node.users} - {GUARDS}
        left = [u for u in after.users(case.node) if u not in (*new, GUARDS)]
        moved = {u for name in new for u in after.users(name)}
        if not left and wanted <= moved:
            return self.passed("consumers moved")
        some = bool(wanted & moved)
        symptom = (
            "Some consumers still read the old node."
            if some
            else "The consumers still read the old node, so the module has no effect."
        )
        kind = "only-first-user" if some else "users-not-moved"
        mark = tuple((case.node, u) for u in left)
        return self.failed(
            "consumers moved",
            kind,
            symptom,
            detail=f"still reading {case.node}: {', '.join(left)}",
            graph="after",
            mark=mark,
        )


def _inputs(case: Case) -> "tuple[torch.Tensor]":
    from common.models import example_inputs

    return example_inputs(batch=3, seed=case.seed + 1)


def _spy() -> "nn.Module":
    """A module whose effect shows in the output: y = 1.25 · |x| − 0.5 (not linear, so no reordering hides it)."""
    from torch import nn

    class Spy(nn.Module):
        def forward(self, x: "torch.Tensor") -> "torch.Tensor":
            return 1.25 * x.abs() - 0.5

    return Spy()


def _spliced(case: Case) -> "fx.GraphModule":
    """The judge's own reference."""
    from common.graph_utils import splice

    gm = exported(case.model, case.seed)
    splice(gm, next(n for n in gm.graph.nodes if n.name == case.node), _spy(), case.name)
    gm.recompile()
    return gm
