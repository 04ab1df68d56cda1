"""Say from the graph which batch norms prepare_pt2e folds away."""

from collections.abc import Iterator
from typing import Any

from common.checks.m04_1 import _bn
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder
from common.exercise.graphs import GRAPH


class FoldedInPrepare(Exercise):
    """folded_in_prepare(gm): the names of the batch norms that prepare_pt2e folds away."""

    id = "m04_1.folded_in_prepare"
    kind = "core"
    minutes = 10
    criteria = {"all of them": 2, "no others": 2}
    must_return = True
    parameters = ("gm",)
    not_allowed = ("prepare_pt2e", "prepare_qat_pt2e", "_fuse_conv_bn_", "_fuse_linear_bn_")
    hints = (
        "Go through the nodes. A batch norm is a `call_function` node with the target `aten.batch_norm.default`. What does it "
        "read first?",
        "`node.args[0]` is the node of the values. Is its *target* one of those into which prepare_pt2e folds?",
        "`{n.name for n in gm.graph.nodes if n.target == aten.batch_norm.default and n.args[0].target in FOLDS_INTO}`: nothing "
        "else is asked, neither the mode nor the other readers.",
    )
    misconceptions = {
        "mode": "prepare_pt2e does not ask whether the net was exported in train mode: it folds the running statistics, "
        "whatever the batch norm does now.",
        "by-name": "The name of a node may be anything. What it computes is in `node.target`.",
        "all-norms": "A batch norm can be folded only into an op right in front of it that multiplies with a weight.",
        "through-relu": "Between conv and batch norm stands another op. The scale would have to pass through it, and "
        "prepare_pt2e looks only at what the batch norm reads itself.",
        "conv-behind": "This batch norm stands in front of a conv. prepare_pt2e folds only what stands behind one.",
        "linear": "A linear multiplies with a weight and adds a bias as a conv does: its batch norm is folded too.",
        "other-convs": "There are several convs: with `padding='same'` the overload is another one, and a transposed conv is "
        "an op of its own. Look into the whole set `FOLDS_INTO`.",
        "other-readers": "prepare_pt2e does not ask whether others read the conv too. (It should: section 4.)",
        "names-of-convs": "Asked for are the names of the batch norms, not those of the convs.",
        "type": "The result is a set of names of nodes, such as {'batch_norm'}.",
    }
    public_cases = (
        Case(model="bn_places"),
        Case(model="conv_bn_drop", mode="train", seed=1),
        Case(model="bn_side_reader", seed=2),
        Case(model="conv_bn_drop", swap=[["batch_norm", "relu"]], seed=3),
    )
    facts = {"names": _bn.NAMES, "graph": GRAPH}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        gm = _bn.graph(case)
        _bn.record_names(ev, ev.call(answer, gm))
        ev.graph("graph", _bn.graph(case))

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        if not evidence.has("names"):
            symptom = "The result is not a set of names."
            yield Finding(
                None, False, "type", symptom, self.misconceptions["type"], f"it is a {evidence.facts.get('type')}"
            )
            return
        said = set(evidence.facts["names"])
        gm = _bn.graph(case)
        left = {n.name for n in _bn.batch_norms(_bn.prepared_without_labels(_bn.graph(case)))}
        norms = {n.name: n for n in _bn.batch_norms(gm)}
        right = set(norms) - left
        nodes = {n.name: n for n in gm.graph.nodes}
        missing, more = sorted(right - said), sorted(said - right)
        more = [name for name in more if name in nodes] or more
        if missing:
            kind = self._missed([norms[name] for name in missing], said, case)
            symptom = "A batch norm that prepare_pt2e folds is not in the result."
            yield self.failed(
                "all of them", kind, symptom, detail=", ".join(missing), graph="graph", mark=tuple(missing)
            )
        else:
            yield self.passed("all of them")
        if more:
            kind = self._too_many([nodes.get(name) for name in more], set(norms), case)
            symptom = "The result names something that prepare_pt2e does not fold."
            mark = tuple(name for name in more if name in nodes)
            yield self.failed("no others", kind, symptom, detail=", ".join(more), graph="graph", mark=mark)
        else:
            yield self.passed("no others")

    def _missed(self, nodes: list[Any], said: set[str], case: Case) -> str | None:
        if said and said <= {n.name for n in _bn.graph(case).graph.nodes if _bn.takes_a_norm(n)}:
            return "names-of-convs"
        if _renamed(case, nodes):
            return "by-name"
        if all(str(n.args[0].target) == _bn.LINEAR for n in nodes):
            return "linear"
        if case.get("mode") == "train":
            return "mode"
        if all(str(n.args[0].target) != "aten.conv2d.default" for n in nodes):
            return "other-convs"
        if all(len(n.args[0].users) > 1 for n in nodes):
            return "other-readers"
        return None

    def _too_many(self, nodes: list[Any], norms: set[str], case: Case) -> str | None:
        named = [n for n in nodes if n is not None]
        if named and all(_bn.takes_a_norm(n) for n in named):
            return "names-of-convs"
        if any(n.name not in norms for n in named):
            return "by-name" if case.get("swap") else None
        if _renamed(case, named):
            return "by-name"
        through = [n for n in named if n.args[0].all_input_nodes and _bn.takes_a_norm(n.args[0].all_input_nodes[0])]
        behind = [n for n in named if any(_bn.takes_a_norm(u) for u in n.users)]
        if named and len(through) == len(named):
            return "through-relu"
        if named and len(behind) == len(named):
            return "conv-behind"
        return "all-norms" if named else None


def _renamed(case: Case, nodes: list[Any]) -> bool:
    """Whether one of these nodes, or what it reads first, has exchanged its name."""
    names = {name for pair in case.get("swap") or () for name in pair}
    return any(n.name in names or n.args[0].name in names for n in nodes)
