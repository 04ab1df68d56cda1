"""The ops between the inputs of a graph and a node."""

import re
from collections.abc import Collection, Iterator, Mapping, Set
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from common.checks._nets import exported
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder

if TYPE_CHECKING:
    from torch import fx


class ActivationPath(Exercise):
    """activation_path(gm, node): the ops through which the input of the graph reaches a node."""

    id = "m00_2.activation_path"
    kind = "practice"
    minutes = 20
    criteria = {"complete": 2, "nothing else": 1, "order": 1}
    must_return = True
    parameters = ("gm", "node")
    hints = (
        "The graph is in order: whatever a node reads stands above it. So two walks do it: one upwards from the node, to "
        "find what it needs; one downwards, to find what depends on an input.",
        "Upwards: keep a list of nodes to visit and a set of nodes that you have seen, and take `node.all_input_nodes` of "
        "each. Downwards: an op depends on an input if one of the nodes that it reads is an input, or depends on one.",
        "What is in both sets, and is a `call_function`, is the answer. Go through `gm.graph.nodes` once more, and it comes "
        "out in graph order.",
    )
    misconceptions = {
        "form": "The result is a list of names of nodes.",
        "nodes": "A node belongs to one graph. Its name (`node.name`) is a text, which can be printed, looked up and compared.",
        "first-input": "A graph can have several inputs. What depends on any of them is on a way from an input.",
        "first-branch": "`args[0]` is one way up. A node can read several activations, and each of them has a way of its own.",
        "inside-lists": "A node such as cat holds its inputs in a list: `args[0]` is the list, not a node.",
        "without-itself": "The node that was asked for is the last op of its own path.",
        "follows-weights": "Ops can work on weights alone, for example to put two of them together. No activation flows "
        "there: nothing of it depends on the input.",
        "no-ops": "Inputs, parameters and the output are nodes, but no ops: only a `call_function` computes something.",
        "all-before": "Nodes that stand above in the list need not be upstream: the list is one possible order of a graph "
        "with branches.",
        "downstream": "`users` leads from a value to its readers, away from the input. The way to the input is in the args.",
        "twice": "Branches part and meet again, so a walk comes by the same node more than once. It is one node.",
        "order": "The result is asked for in graph order, from the input to the node. A walk finds the branches in the "
        "order in which it visits them, which is another one.",
    }
    public_cases = (
        Case(model="conv_relu", node="relu"),
        Case(model="residual", node="add"),
        Case(model="branches", node="conv2d_1", seed=1),
    )
    facts = {
        "names": {"type": ["array", "null"], "items": {"type": "string"}, "maxItems": 500},
        "strange": {"type": "string"},
        "nodes": {"type": "boolean"},
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        from torch import fx

        gm = _graph(case)
        returned = ev.call(answer, gm, _node(gm, case))
        if not isinstance(returned, Collection) or isinstance(returned, (str, Mapping, Set)):
            ev.fact("names", None)
            ev.fact("strange", f"it is a {type(returned).__name__}")
            return
        with ev.student("the result was read"):
            found = list(returned)
        ev.fact("names", [_name(n) for n in found][:500])
        ev.fact("nodes", any(isinstance(n, fx.Node) for n in found))

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        message = (evidence.exception or {}).get("message", "")
        if re.search(
            r"'(immutable_list|list|tuple)' object has no attribute '(name|op|args|all_input_nodes)'", message
        ):
            symptom = "A list was taken for a node."
            yield self.failed("complete", "inside-lists", symptom, detail=message)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        if evidence.facts["names"] is None:
            symptom = "The result is not a list of names."
            detail = evidence.facts["strange"]
            yield Finding(None, False, "form", symptom, self.misconceptions["form"], detail)
            return
        if evidence.facts["nodes"]:
            yield self.failed("complete", "nodes", "The list holds nodes, and not their names.")
        gm = _graph(case)
        got, wanted = evidence.facts["names"], _path(gm, _node(gm, case))
        complete = self._complete(gm, case, wanted, set(got))
        yield complete
        if got:
            yield self._rest(gm, case, wanted, set(got))
            yield self._order(wanted, got)
        else:  # nothing to look at: the reason is the same
            yield from (replace(complete, criterion=c) for c in ("nothing else", "order"))

    def _complete(self, gm: "fx.GraphModule", case: Case, wanted: list[str], got: set[str]) -> Finding:
        missing, nodes = set(wanted) - got, {n.name: n for n in gm.graph.nodes}
        if not missing:
            return self.passed("complete")
        kind, symptom = None, "An op of the path is missing."
        # Where the walk stopped: nodes of the result that read a missing one.
        stops = [nodes[g] for g in got if g in nodes and missing & _names(nodes[g])]
        first = next(n for n in gm.graph.nodes if n.op == "placeholder")
        if missing == {case.node}:
            kind, symptom = "without-itself", "The node itself is missing."
        elif not missing & _downstream(first) and case.node in got:
            kind, symptom = "first-input", "What comes from another input of the graph is missing."
        elif stops and all(isinstance(n.args[0], (list, tuple)) and not got & _names(n) for n in stops):
            kind = "inside-lists"
        elif stops:
            kind, symptom = "first-branch", "A branch is missing."
        elif got & _downstream(nodes[case.node]):
            kind = "downstream"
        return self.failed("complete", kind, symptom, detail=f"missing: {', '.join(sorted(missing))}")

    def _rest(self, gm: "fx.GraphModule", case: Case, wanted: list[str], got: set[str]) -> Finding:
        extra, nodes = got - set(wanted), {n.name: n for n in gm.graph.nodes}
        if not extra:
            return self.passed("nothing else")
        node = nodes[case.node]
        kind, symptom = None, "There is something in the result that is not on the path."
        if any(e not in nodes or nodes[e].op != "call_function" for e in extra):
            kind, symptom = "no-ops", "There is something in the result that is no op."
        elif extra & _downstream(node):
            kind, symptom = "downstream", "There are ops in the result that come after the node."
        elif extra & _upstream(node):
            kind, symptom = "follows-weights", "There is an op in the result that no input reaches."
        else:
            kind, symptom = "all-before", "There are ops in the result on which the node does not depend."
        return self.failed("nothing else", kind, symptom, detail=f"too much: {', '.join(sorted(extra))}")

    def _order(self, wanted: list[str], got: list[str]) -> Finding:
        if len(set(got)) < len(got):
            return self.failed("order", "twice", "A node stands in the result more than once.")
        shared = [n for n in got if n in wanted]
        if not shared or shared != [n for n in wanted if n in shared]:
            return self.failed("order", "order", "The ops are not in graph order.")
        return self.passed("order")


def _name(value: Any) -> str:
    return value if isinstance(value, str) else str(getattr(value, "name", type(value).__name__))


def _graph(case: Case) -> "fx.GraphModule":
    """The graph of a case; `behind` names a node that gets another op behind it."""
    import torch

    from common.graph_utils import splice_op

    gm = exported(case.model, case.seed)
    if case.get("behind"):
        splice_op(gm, next(n for n in gm.graph.nodes if n.name == case.behind), torch.ops.aten.neg.default)
        gm.recompile()
    return gm


def _names(node: "fx.Node") -> set[str]:
    """What a node reads."""
    return {n.name for n in node.all_input_nodes}


def _node(gm: "fx.GraphModule", case: Case) -> "fx.Node":
    return next(n for n in gm.graph.nodes if n.name == case.node)


def _upstream(node: "fx.Node") -> set[str]:
    """A node and all that it needs."""
    seen: set[fx.Node] = set()
    todo = [node]
    while todo:
        current = todo.pop()
        if current not in seen:
            seen.add(current)
            todo += current.all_input_nodes
    return {n.name for n in seen}


def _downstream(node: "fx.Node") -> set[str]:
    """All that needs a node, without the node itself."""
    seen: set[fx.Node] = set()
    todo = list(node.users)
    while todo:
        current = todo.pop()
        if current not in seen:
            seen.add(current)
            todo += list(current.users)
    return {n.name for n in seen}


def _path(gm: "fx.GraphModule", node: "fx.Node") -> list[str]:
    needed = _upstream(node)
    reached = set[str]().union(*(_downstream(n) for n in gm.graph.nodes if n.op == "placeholder"))
    return [n.name for n in gm.graph.nodes if n.op == "call_function" and n.name in needed & reached]
