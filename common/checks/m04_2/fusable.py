"""Which nodes a chip can compute in one step: conv, batch norm and relu."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from common.checks.m04_1 import _bn
from common.checks.m04_2 import _fuse as fz
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder
from common.exercise.graphs import GRAPH

WHAT = {fz.CONV: "conv", fz.NORM: "norm"} | dict.fromkeys(fz.RELUS, "relu")


class Fusable(Exercise):
    """fusable(gm): the groups conv – batch norm – relu that can be computed in one step."""

    id = "m04_2.fusable"
    kind = "core"
    minutes = 20
    criteria = {"all groups": 2, "whole groups": 1, "no others": 3}
    must_return = True
    parameters = ("gm",)
    hints = (
        "Begin at each conv. Its group grows along the readers: who reads the last node of the group?",
        "One step: `if len(last.users) == 1:`, then `reader = next(iter(last.users))`. Does the target of the reader fit? "
        "First try a batch norm, then a relu.",
        "For each conv: `group = [conv]`, then for the targets `{batch_norm}` and `{relu, relu_}` in this order: if the only "
        "reader of `group[-1]` has such a target, append it. Keep the group if it has two names or more.",
    )
    misconceptions = {
        "second-reader": "If something else reads the value between two ops, it has to be there as a tensor. A group that is "
        "computed in one step does not give it out.",
        "not-adjacent": "The ops of a group follow each other directly: each reads the one before. Another op between "
        "them, such as a pool, has to be computed in between.",
        "list-neighbour": "The order of the list of nodes is the order of computing. Which node reads which says "
        "`node.users` or `node.args`.",
        "norm-first": "The group begins at the conv. A batch norm in front of a conv is computed before it, on other values.",
        "relu-first": "Conv, batch norm, relu: in this order. A batch norm behind the relu does not belong to the group.",
        "not-a-relu": "Only `aten.relu.default` and `aten.relu_.default` are meant. A sigmoid or a relu6 is another op.",
        "no-conv": "A group begins with a conv. An addition with a relu may be a unit too, but it is not asked for here.",
        "single": "One node is no group: there is nothing to put together.",
        "cut-short": "The group goes on: the next op fits, and is the only reader of the last one.",
        "overlap": "Each node belongs to one group at most. The longer group holds the shorter one already.",
        "in-place": "A relu that works in place has a target of its own, `aten.relu_.default`. It is a relu all the same.",
        "without-norm": "A conv and a relu without a batch norm are a group too.",
        "without-relu": "A conv and a batch norm without a relu are a group too.",
        "by-name": "The name of a node may be anything. What it computes is in `node.target`.",
        "first-only": "There may be many groups in a graph.",
        "order": "The names of a group stand in the order of computing: conv, batch norm, relu.",
        "type": "The result is a list of groups, and a group is a tuple of names: [('conv2d', 'relu')].",
    }
    public_cases = (
        Case(model="conv_bn_drop"),
        Case(model="tiny", seed=1),
        Case(model="bn_side_reader", seed=2),
        Case(model="bn_places", seed=3),
        Case(model="relu_kinds", seed=4),
    )
    facts = {
        "groups": {"type": "array", "maxItems": 300, "items": _bn.NAMES},
        "graph": GRAPH,
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        from torch import fx

        returned = ev.call(answer, _bn.graph(case))
        ev.graph("graph", _bn.graph(case))
        ev.fact("type", type(returned).__name__)
        if isinstance(returned, (str, fx.Node, dict)) or not hasattr(returned, "__iter__"):
            return
        groups: list[list[Any]] = []
        with ev.student("the result was read"):
            items = list(returned)[:300]
        for item in items:
            if not isinstance(item, (tuple, list)):
                return
            groups.append([n.name if isinstance(n, fx.Node) else n for n in item[:300]])
        if all(isinstance(name, str) for group in groups for name in group):
            ev.fact("groups", groups)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        if not evidence.has("groups"):
            symptom = "The result is not a list of tuples of names."
            yield Finding(
                None, False, "type", symptom, self.misconceptions["type"], f"it is a {evidence.facts.get('type')}"
            )
            return
        gm = _bn.graph(case)
        nodes = {n.name: n for n in gm.graph.nodes}
        right = fz.groups(gm)
        said = [tuple(group) for group in evidence.facts["groups"]]
        bad = {group: reason for group in said if (reason := self._wrong(group, nodes, case, right))}
        yield self._all(case, right, said, nodes)
        parts = [g for g in said if g not in bad and g not in right and any(set(g) < set(r) for r in right)]
        if len(said) != len(set(said)) or any(set(p) <= set(g) and p != g for p in said for g in said):
            yield self.failed("whole groups", "overlap", "A node stands in several groups.")
        elif parts:
            symptom = "A group ends too early."
            mark = tuple(parts[0])
            yield self.failed("whole groups", "cut-short", symptom, detail=str(parts[0]), graph="graph", mark=mark)
        else:
            yield self.passed("whole groups")
        if bad:
            group, reason = next(iter(bad.items()))
            symptom = "The result holds something that is no such group."
            mark = tuple(name for name in group if name in nodes)
            kind = None if reason == "unknown" else reason
            yield self.failed("no others", kind, symptom, detail=str(group), graph="graph", mark=mark)
        else:
            yield self.passed("no others")

    def _all(
        self, case: Case, right: list[tuple[str, ...]], said: list[tuple[str, ...]], nodes: dict[str, Any]
    ) -> Finding:
        missing = [g for g in right if not any(len(set(g) & set(s)) > 1 for s in said)]
        if not missing:
            return self.passed("all groups")
        kinds = [[WHAT[str(nodes[name].target)] for name in group] for group in missing]
        names = {name for pair in case.get("swap") or () for name in pair}
        kind = None
        if names and all(names & set(g) for g in missing):
            kind = "by-name"
        elif all(str(nodes[g[-1]].target) == "aten.relu_.default" for g in missing):
            kind = "in-place"
        elif all(k == ["conv", "relu"] for k in kinds):
            kind = "without-norm"
        elif all(k == ["conv", "norm"] for k in kinds):
            kind = "without-relu"
        elif right[0] in said and len(said) == 1:
            kind = "first-only"
        symptom = "A group is not in the result."
        return self.failed("all groups", kind, symptom, detail=str(missing[0]), graph="graph", mark=missing[0])

    def _wrong(
        self, group: tuple[str, ...], nodes: dict[str, Any], case: Case, right: list[tuple[str, ...]]
    ) -> str | None:
        """Why something in the result is no group, nor a part of one."""
        if len(group) < 2:
            return "single"
        if any(name not in nodes for name in group):
            return "unknown"
        if any(group != r and set(group) <= set(r) and list(group) != [n for n in r if n in group] for r in right):
            return "order"
        if any(set(group) == set(r) and group != r for r in right):
            return "order"
        what = [WHAT.get(str(nodes[name].target)) for name in group]
        renamed = {name for pair in case.get("swap") or () for name in pair}
        if None in what[1:] or what[0] is None:
            if renamed & set(group):
                return "by-name"
            return "not-a-relu" if what[0] == "conv" else "no-conv"
        for one, other in pairwise(group):
            if nodes[one] not in nodes[other].all_input_nodes:
                order = list(nodes)
                after = [n for n in order if nodes[n].op == "call_function"]
                next_to = after.index(other) == after.index(one) + 1 if one in after and other in after else False
                return "list-neighbour" if next_to else "not-adjacent"
            if len(nodes[one].users) > 1:
                return "second-reader"
        if what[0] == "norm" and "conv" in what:
            return "norm-first"
        if what[:3] == ["conv", "relu", "norm"]:
            return "relu-first"
        if what[0] != "conv":
            return "no-conv"
        return None
