"""Compare two graphs node by node: which came, which went, which read something else."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from common.checks.m01_2._stages import GUARDS, names, nodes_of, stage
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder

if TYPE_CHECKING:
    from torch import fx

KEYS = ("added", "removed", "rewired")


class GraphDiff(Exercise):
    """graph_diff(before, after): names of the nodes that were added, removed, or rewired."""

    id = "m01_2.graph_diff"
    kind = "core"
    minutes = 15
    criteria = {"added": 1, "removed": 1, "rewired": 2}
    must_return = True
    parameters = ("before", "after")
    not_allowed = ("node_changes", "draw_stages")
    hints = (
        "A node of one graph is never the same object as a node of the other. What they have in common is their name: "
        "make a dict from name to node for each graph.",
        "Added and removed are differences of two sets of names. For rewired, go through the names that both have, and "
        "compare *the names* of what the two nodes read.",
        "`[i.name for i in node.all_input_nodes]` holds what a node reads, in order, lists and keyword arguments "
        "included.",
    )
    misconceptions = {
        "by-object": "The two graphs have no node object in common, since one of them is a changed copy. Compare names.",
        "only-ops": "Observers are `call_module` nodes, weights and constants are `get_attr` nodes. All kinds of node "
        "count, not only those that call an operation.",
        "counts": "A list stays empty when only counts, or positions in the graph, are compared: neither sees which node "
        "changed, nor a node that only reads another one. Compare node by node, by name.",
        "targets": "What a node calls is its `target`, and several nodes can call the same. Its own name is `node.name`.",
        "arguments-too": "A node has arguments that are no nodes: a stride, a number, None. Only what it *reads* counts here.",
        "reads-new-only": "A node can also read another *old* node than before. Compare what it reads in both graphs.",
        "inside-lists": "A node such as cat holds its inputs in a list: `args[0]` is the list, and not a node.",
        "first-input-only": "A node can read several others (data, weight, bias), and each of them can change.",
        "order-lost": "Which input a value goes into matters as well. As a set, a, b and b, a are the same.",
        "users": "A rewired node is one that *reads* something else. Whoever is read by somebody else has other users, "
        "but computes from the same inputs as before.",
        "new-nodes-too": "Rewired are nodes that are in both graphs. A node that is new has not read anything before.",
        "output-left-out": "The node `output` reads something too. It holds its inputs in a list, so `args[0]` is not a node.",
    }
    public_cases = (
        Case(model="residual", before="exported", after="prepared"),
        Case(model="conv_relu", before="prepared", after="converted", seed=2),
        Case(
            model="conv_chain",
            before="exported",
            after="exported",
            change=[["conv2d", "argument", 4, [2, 2]], ["relu_1", "conv2d_2", "conv2d_1"]],
        ),
    )
    facts = {
        "form": {"type": "string"},
        **{key: {"type": "array", "maxItems": 500, "items": {"type": "string"}} for key in KEYS},
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        returned = ev.call(answer, *_pair(case))
        if not isinstance(returned, dict) or not set(KEYS) <= set(returned):
            given = f"a dict with the keys {sorted(map(str, returned))}" if isinstance(returned, dict) else None
            ev.fact("form", f"no dict with the three keys: {given or type(returned).__name__}"[:300])
            return
        with ev.student("the result was read"):
            found = {key: names(returned[key]) for key in KEYS}
        wrong = [key for key in KEYS if found[key] is None]
        text = f"{wrong[0]!r} does not hold names (the name of a node is `node.name`)" if wrong else ""
        ev.fact("form", text)
        for key in KEYS:
            ev.fact(key, (found[key] or [])[:500])

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        if evidence.facts["form"]:
            symptom = "The result is not a dict with sets of names under 'added', 'removed' and 'rewired'."
            yield Finding(None, False, "form", symptom, "", evidence.facts["form"])
            return
        before, after = _pair(case)
        old, new = nodes_of(before), nodes_of(after)
        got = {key: set(evidence.facts[key]) - {GUARDS} for key in KEYS}
        yield self._names("added", got["added"], set(new) - set(old), new)
        yield self._names("removed", got["removed"], set(old) - set(new), old)
        yield self._rewired(got, old, new)

    def _names(self, criterion: str, got: set[str], wanted: set[str], nodes: dict[str, Any]) -> Finding:
        if got == wanted:
            return self.passed(criterion)
        kind = None
        called = {name for name in wanted if nodes[name].op == "call_function"}
        if not got:
            kind = "counts" if called else "only-ops"
        elif got >= set(nodes) - {GUARDS}:
            kind = "by-object"
        elif got == called:
            kind = "only-ops"
        elif _are_targets(got - set(nodes), nodes):
            kind = "targets"
        symptom = f"The names under '{criterion}' are not those of the nodes that were {criterion}."
        return self.failed(criterion, kind, symptom, detail=_difference(got, wanted))

    def _rewired(self, got: dict[str, set[str]], old: dict[str, Any], new: dict[str, Any]) -> Finding:
        found, both = got["rewired"], [name for name in new if name in old and name != GUARDS]

        def changed(look: Callable[[Any], Any]) -> set[str]:
            return {name for name in both if look(old[name]) != look(new[name])}

        wanted = changed(_reads)
        if found == wanted:
            return self.passed("rewired")
        added = set(new) - set(old)
        wrong = {
            "arguments-too": changed(lambda n: str((n.args, n.kwargs))),
            "reads-new-only": {n for n in both if any(i.name in added for i in new[n].all_input_nodes)},
            "output-left-out": wanted - {"output"},
            "inside-lists": changed(_direct),
            "first-input-only": changed(lambda n: _reads(n)[:1]),
            "order-lost": changed(lambda n: set(_reads(n))),
            "users": changed(lambda n: {u.name for u in n.users}),
            "users ": changed(lambda n: (_reads(n), {u.name for u in n.users})),
            "by-object": {name for name in both if new[name].all_input_nodes},
        }
        kind = next((kind.strip() for kind, names in wrong.items() if found == names), None) if found else "counts"
        if not found and added and not wrong["reads-new-only"]:
            kind = "reads-new-only"
        if found == set(both):
            kind = "by-object"
        elif kind is None and _are_targets(found - set(new), {**old, **new}):
            kind = "targets"
        elif kind is None and added and found - wanted == added:
            kind = "new-nodes-too"
        symptom = "The names under 'rewired' are not those of the nodes that read something else."
        return self.failed("rewired", kind, symptom, detail=_difference(found, wanted))


def _reads(node: Any) -> list[str]:
    return [i.name for i in node.all_input_nodes]


def _are_targets(names: set[str], nodes: dict[str, Any]) -> bool:
    """Whether these are what nodes call, as text, and not their names."""
    called = {str(n.target) for n in nodes.values()} | {getattr(n.target, "__name__", "") for n in nodes.values()}
    return bool(names) and names <= called


def _direct(node: Any) -> list[str]:
    return [a.name for a in node.args if hasattr(a, "name")]


def _difference(got: set[str], wanted: set[str]) -> str:
    parts = [("missing: ", wanted - got), ("too much: ", got - wanted)]
    return "; ".join(title + ", ".join(sorted(found)[:12]) for title, found in parts if found)


def _pair(case: Case) -> "tuple[fx.GraphModule, fx.GraphModule]":
    """The two graphs of a case. `change` moves edges of the second one by hand: [node, "swap"], [node, old, new],
    or [node, "argument", position, value] for an argument that is no node."""
    before, after = stage(case, case.before), stage(case, case.after)
    for name, *change in case.get("change") or ():
        nodes = nodes_of(after)
        node = nodes[name]
        if change == ["swap"]:
            node.args = tuple(reversed(node.args))
        elif change[0] == "argument":
            node.args = (*node.args[: change[1]], change[2], *node.args[change[1] + 1 :])
        else:
            node.replace_input_with(nodes[change[0]], nodes[change[1]])
    after.recompile()
    return before, after
