"""Which parameters and buffers does a node read."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from common.checks._nets import exported
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder

if TYPE_CHECKING:
    from torch import fx


class ParametersUsedBy(Exercise):
    """parameters_used_by(gm, node): the names of the parameters and buffers that a node reads."""

    id = "m00_1.parameters_used_by"
    kind = "core"
    minutes = 10
    criteria = {"complete": 2, "nothing else": 2}
    must_return = True
    parameters = ("gm", "node")
    hints = (
        "In `gm` a parameter is a node of its own. Which kind of node, and where is the name of the parameter in it?",
        "`node.args` holds nodes next to plain numbers, and a list among them may hold nodes too. "
        "`node.all_input_nodes` gives all nodes that a node reads.",
        "Keep those inputs whose `op` is `get_attr`, and take their `target`.",
    )
    misconceptions = {
        "form": "The result is a set of strings such as `'conv.weight'`.",
        "node-names": "The node is called `conv_weight`, because a node's name is a name in Python code. The parameter is "
        "called `conv.weight`, and that is the node's target. The one cannot be computed from the other.",
        "activations": "What an op reads from its inputs at run time is an activation, not a parameter. Only a `get_attr` "
        "node fetches something that is stored in the model.",
        "follows-activations": "Asked for was what this one node reads. The parameters of the ops in front of it have done "
        "their work already.",
        "inside-lists": "A node such as cat holds its inputs in a list: `args[0]` is the list, not a node.",
        "by-module": "Two modules can share one tensor, a function can read a parameter without any module, and a module "
        "can hold a buffer that no op reads. What a node reads stands in its args.",
        "listed-once": "`named_parameters()` lists a tensor that two modules share once, under one of its two paths. The "
        "graph may read it under the other path: the name is the target of the node.",
        "letters": "A text is a collection too, of letters. `update` puts each of them into the set; `add` puts in the name.",
        "plain-values": "`node.args` mixes nodes with plain values: numbers, lists, None. Only a node has an `op` and a "
        "`target`.",
        "some-missing": "A node can read several parameters, and buffers as well.",
    }
    public_cases = (
        Case(model="conv_relu", node="conv2d"),
        Case(model="tiny", node="batch_norm_1"),
        Case(model="residual", node="add"),
    )
    facts = {"names": {"type": ["array", "null"], "items": {"type": "string"}, "maxItems": 200}}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        gm = exported(case.model, case.seed)
        returned = ev.call(answer, gm, _node(gm, case))
        with ev.student("the result was read"):
            names = None if isinstance(returned, str) else list(returned)[:200]
        good = names is not None and all(isinstance(n, str) for n in names)
        ev.fact("names", sorted(set(names)) if names is not None and good else None)

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        message = (evidence.exception or {}).get("message", "")
        if re.search(r"'(immutable_list|list|int|float|bool|NoneType)' object has no attribute '(op|target)'", message):
            symptom = "A plain value among the arguments was taken for a node."
            yield self.failed("complete", "plain-values", symptom, detail=message)
            yield self.failed("nothing else", "plain-values", symptom, detail=message)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        if evidence.facts["names"] is None:
            symptom = "The result is not a set of names."
            yield Finding(None, False, "form", symptom, self.misconceptions["form"])
            return
        gm = exported(case.model, case.seed)
        node, found = _node(gm, case), set(evidence.facts["names"])
        reads = {n for n in node.all_input_nodes if n.op == "get_attr"}
        wanted = {str(n.target) for n in reads}
        underscored = {n.name for n in gm.graph.nodes if n.op == "get_attr"} - {
            str(n.target) for n in gm.graph.nodes if n.op == "get_attr"
        }
        renamed = {f for f in found - {str(n.target) for n in gm.graph.nodes} if f.replace(".", "_") in underscored}
        yield self._complete(gm, node, wanted, found, renamed)
        yield self._rest(gm, node, wanted, found, renamed)

    def _complete(
        self, gm: "fx.GraphModule", node: "fx.Node", wanted: set[str], found: set[str], renamed: set[str]
    ) -> Finding:
        missing = wanted - found
        if not missing:
            return self.passed("complete")
        detail = f"missing: {', '.join(sorted(missing))}"
        kind, symptom = "some-missing", "A parameter that the node reads is missing."
        listed = {name for name, _value in (*gm.named_parameters(), *gm.named_buffers())}
        direct = {str(getattr(a, "target", "")) for a in node.args}
        if renamed:
            kind, symptom = "node-names", "There are names in the result that are made from names of nodes."
        elif found and all(len(f) == 1 for f in found):
            kind, symptom = "letters", "The result holds single letters."
        elif missing <= wanted - listed and not found - wanted:
            kind = "listed-once"
        elif found & _same_module(gm, node, wanted):
            kind, symptom = "by-module", "The result has names of the module, but not what the node reads."
        elif missing.isdisjoint(direct):
            kind = "inside-lists"
        elif not _modules(node) and not found:
            kind = "by-module"
        return self.failed("complete", kind, symptom, detail=detail)

    def _rest(
        self, gm: "fx.GraphModule", node: "fx.Node", wanted: set[str], found: set[str], renamed: set[str]
    ) -> Finding:
        extra = found - wanted
        if not extra:
            return self.passed("nothing else")
        activations = {n.name for n in gm.graph.nodes if n.op != "get_attr"}
        kind, symptom = None, "There is a name in the result that the node does not read."
        if extra & renamed:
            kind, symptom = "node-names", "There are names in the result that are made from names of nodes."
        elif all(len(e) == 1 and e not in activations for e in extra):
            kind, symptom = "letters", "The result holds single letters."
        elif extra & activations:
            kind, symptom = "activations", "There is a name in the result that is no parameter."
        elif extra <= _same_module(gm, node, wanted):
            kind = "by-module"
        elif extra & _upstream(node):
            kind, symptom = "follows-activations", "There are parameters in the result that an op further up reads."
        return self.failed("nothing else", kind, symptom, detail=f"too much: {', '.join(sorted(extra))}")


def _node(gm: "fx.GraphModule", case: Case) -> "fx.Node":
    return next(n for n in gm.graph.nodes if n.name == case.node)


def _modules(node: "fx.Node") -> list[str]:
    """The paths of the modules in whose forward the op was called, the root ("") left out."""
    return [path for path, _kind in node.meta.get("nn_module_stack", {}).values() if path]


def _same_module(gm: "fx.GraphModule", node: "fx.Node", wanted: set[str]) -> set[str]:
    """What the module that the op comes from holds, and the op does not read."""
    stored = {str(n.target) for n in gm.graph.nodes if n.op == "get_attr"}
    paths = _modules(node)[-1:]
    return {name for name in stored for path in paths if name.rpartition(".")[0] == path} - wanted


def _upstream(node: "fx.Node") -> set[str]:
    """The parameters that the ops in front of a node read."""
    seen: set[fx.Node] = set()
    todo = [n for n in node.all_input_nodes if n.op != "get_attr"]
    while todo:
        current = todo.pop()
        if current not in seen:
            seen.add(current)
            todo += current.all_input_nodes
    return {str(n.target) for n in seen if n.op == "get_attr"}
