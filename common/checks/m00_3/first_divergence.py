"""The first op at which two graphs compute something different."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from common.checks._nets import exported
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder

if TYPE_CHECKING:
    import torch
    from torch import fx


class FirstDivergence(Exercise):
    """first_divergence(gm_a, gm_b, x, dB): the name of the first op whose values in two graphs are too far apart."""

    id = "m00_3.first_divergence"
    kind = "core"
    minutes = 15
    criteria = {"a name or None": 1, "the right node": 3}
    parameters = ("gm_a", "gm_b", "x", "dB")
    not_allowed = ("prepare_for_propagation_comparison", "extract_results_from_loggers", "compare_results")
    hints = (
        "Record both graphs with `node_outputs`, walk over the names of the first one, and return as soon as a value is "
        "too far away.",
        "A name that only one of the graphs has cannot be compared: pass it over.",
        "The values of `gm_a` are the reference, and `sqnr_db(...) < dB` is too far. Behind the loop: `return None`.",
    )
    misconceptions = {
        "by-index": "A graph may have nodes that the other one does not have, so the n-th op of one is not the n-th op "
        "of the other. The name is what they share.",
        "output-only": "The outputs say that two graphs differ. Where it began can only be seen at the ops in front of "
        "them.",
        "worst": "The largest distance is not the first one. It often lies further down, where the error has grown.",
        "last-good": "The node before is the last one that was right. The one in question is the first that is too far "
        "away.",
        "swapped": "The first graph is the reference. With the second one as the reference, the same two tensors may "
        "lie on the other side of the limit.",
        "any-difference": "A small difference is allowed: only below the limit in dB are the values too far apart.",
        "wrong-side": "A large SQNR says that two tensors are close, a small one that they are far apart.",
        "weight": "A weight may differ, but it is not an op. The question is which op computes something different.",
        "weights-compared": "The weights say where two models differ in their numbers. An op that is another one, or that "
        "was put in, stands in no weight: only the values of the ops show it.",
        "none-as-text": "`None` is a value of Python and not a text: `return None`.",
        "on-the-limit": "Too far away is what lies **below** the limit. What lies on it is good enough: with an infinite limit, "
        "an op that computes the same in both graphs.",
        "only-one-graph": "A node that only one of the graphs has can be compared with nothing.",
        "agree": "Where no op of the graphs is too far from the other, the answer is None. An output is always there, "
        "but it is no divergence.",
        "type": "The result is the name of a node, such as 'conv2d', or None.",
    }
    public_cases = (
        Case(model="conv_relu_conv", rounded={"conv_b.weight": 3}, behind=None, dB=40),
        Case(model="residual", rounded={"conv_a.weight": 6}, behind="conv2d", dB=60, seed=1),
        Case(model="conv_relu_conv", rounded={"conv_a.weight": 8}, behind="relu", dB=15, seed=2),
        Case(model="conv_bn_drop", rounded={"fc.weight": 4}, behind=None, without="dropout", dB=35, seed=3),
    )
    facts = {"returned": {"type": ["string", "null"]}, "kind": {"type": "string"}}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        from torch import fx

        gm_a, gm_b = _graphs(case)
        returned = ev.call(answer, gm_a, gm_b, _x(case), _limit(case))
        name = returned.name if isinstance(returned, fx.Node) else returned
        ev.fact("returned", name if isinstance(name, str) else None)
        ev.fact("kind", type(returned).__name__)

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        exception = evidence.exception or {}
        sizes = "must match the size" in exception.get("message", "") or "not broadcastable" in exception["message"]
        if sizes and _only_one(case):
            symptom = "Two tensors of different shapes were compared: they belong to different nodes."
            yield self.failed("the right node", "by-index", symptom)
        elif exception.get("type") == "KeyError" and exception["message"].strip("'\"") in _only_one(case):
            symptom = "A value was looked up that only one of the graphs has."
            yield self.failed("the right node", "only-one-graph", symptom)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        kind = evidence.facts["kind"]
        if kind not in ("str", "NoneType"):
            symptom = "The result is neither a string nor None."
            yield self.failed("a name or None", "type", symptom, detail=f"it is a {kind}")
            if kind != "Node":
                yield self.failed("the right node", "type", symptom)
                return
        else:
            yield self.passed("a name or None")
        gm_a, gm_b = _graphs(case)
        said = evidence.facts["returned"]
        right = _answers(gm_a, gm_b, _x(case), _limit(case))["right"]
        if said == right:
            yield self.passed("the right node")
        else:
            misconception = self._explain(case, gm_a, gm_b, said, right)
            symptom = (
                "The graphs part, and the result does not say so."
                if said is None
                else "The graphs do not part, but a node is named."
                if right is None
                else "The result is not the first op that is too far away."
            )
            detail = f"asked for {right!r}, yours {said!r}"
            yield self.failed("the right node", misconception, symptom, detail=detail)

    def _explain(
        self, case: Case, gm_a: "fx.GraphModule", gm_b: "fx.GraphModule", said: str | None, right: str | None
    ) -> str | None:
        names_a, names_b = ({n.name: n for n in gm.graph.nodes} for gm in (gm_a, gm_b))
        wrong = _answers(gm_a, gm_b, _x(case), _limit(case))
        if said == "None":
            return "none-as-text"
        if said in names_a and names_a[said].op == "get_attr":
            return "weight"
        if said is not None and said not in names_a.keys() & names_b.keys():
            return "only-one-graph"
        if said == "output":
            return "agree" if right is None else "output-only"
        if said is None and right == wrong["another op"]:
            return "weights-compared"
        kinds = ("on-the-limit", "swapped", "any-difference", "last-good", "worst", "by-index", "wrong-side")
        found = [
            k for k in kinds if said == wrong[k] and (said is not None or k in ("swapped", "wrong-side", "by-index"))
        ]
        if not found and said == wrong["by-index, same shapes"]:
            found = ["by-index"]
        if len(found) > 1:
            return None  # several wrong ideas lead here; another case tells them apart
        if found:
            return found[0]
        if said != wrong["last op"]:
            return None
        return "agree" if right is None else "output-only"


def _answers(gm_a: "fx.GraphModule", gm_b: "fx.GraphModule", x: "torch.Tensor", limit: float) -> dict[str, str | None]:
    """Return the right answer, and what known wrong ideas give."""
    import torch

    from common.graph_utils import node_outputs, sqnr

    a, b = node_outputs(gm_a, x), node_outputs(gm_b, x)
    shared = [name for name in a if name in b]
    db = {name: sqnr(a[name], b[name]) for name in shared}
    bad = [name for name in shared if db[name] < limit]
    first = bad[0] if bad else None
    by_index = [
        name
        for (name, value), other in zip(a.items(), b.values(), strict=False)
        if value.shape != other.shape or sqnr(value, other) < limit
    ]
    swapped = [name for name in shared if sqnr(b[name], a[name]) < limit]
    before = shared.index(first) - 1 if first else -1
    same_shapes = [
        name
        for (name, value), other in zip(a.items(), b.values(), strict=False)
        if value.shape == other.shape and sqnr(value, other) < limit
    ]
    # An op that reads the same weights, and still computes something else.
    same_weights = all(torch.equal(v, gm_b.state_dict()[k]) for k, v in gm_a.state_dict().items())
    return {
        "right": first,
        "last op": list(a)[-1],
        "worst": min(bad, key=lambda name: db[name], default=None),
        "last-good": shared[before] if before >= 0 else None,
        "swapped": swapped[0] if swapped else None,
        "any-difference": next((name for name in shared if db[name] != float("inf")), None),
        "wrong-side": next((name for name in shared if db[name] > limit), None),
        "by-index": by_index[0] if by_index else None,
        "by-index, same shapes": same_shapes[0] if same_shapes else None,
        "on-the-limit": next((name for name in shared if db[name] <= limit), None),
        "another op": first if same_weights else "",
    }


def _graphs(case: Case) -> "tuple[fx.GraphModule, fx.GraphModule]":
    """A graph, and one with rounded or scaled weights.

    Of the second one, `behind` names a node with two ops behind it that cancel out, `halved` one with an op behind it
    that halves the values, `another` one that calls leaky_relu instead, and `without` one that is taken out.
    """
    import torch

    from common.graph_utils import splice_op

    gm_a, gm_b = exported(case.model, case.seed), exported(case.model, case.seed)
    with torch.no_grad():
        for name, bits in case.rounded.items():
            weight = gm_b.get_parameter(name)
            step = weight.abs().max() / (2 ** (bits - 1) - 1)
            weight.copy_((weight / step).round() * step)
        for name, factor in case.get("scaled", {}).items():
            gm_b.get_parameter(name).mul_(factor)
    if case.behind:
        node = next(n for n in gm_b.graph.nodes if n.name == case.behind)
        with gm_b.graph.inserting_after(node):
            once = gm_b.graph.call_function(torch.ops.aten.neg.default, (node,))
        with gm_b.graph.inserting_after(once):
            twice = gm_b.graph.call_function(torch.ops.aten.neg.default, (once,))
        node.replace_all_uses_with(twice, delete_user_cb=lambda user: user is not once)
        gm_b.recompile()
    nodes = {n.name: n for n in gm_b.graph.nodes}
    if "halved" in case:
        splice_op(gm_b, nodes[case.halved], torch.ops.aten.mul.Tensor, 0.5)
    if "another" in case:
        nodes[case.another].target = torch.ops.aten.leaky_relu.default
    if "without" in case:
        nodes[case.without].replace_all_uses_with(nodes[case.without].args[0])
        gm_b.graph.erase_node(nodes[case.without])
    gm_b.recompile()
    return gm_a, gm_b


def _limit(case: Case) -> float:
    """The limit of a case; "inf" asks for equality bit by bit (JSON has no infinity)."""
    return float(case.dB) if case.dB == "inf" else case.dB


def _only_one(case: Case) -> set[str]:
    """The names of the nodes that only one of the two graphs has."""
    gm_a, gm_b = _graphs(case)
    return {n.name for n in gm_a.graph.nodes} ^ {n.name for n in gm_b.graph.nodes}


def _x(case: Case) -> "torch.Tensor":
    from common.models import example_inputs

    return example_inputs(batch=3, seed=case.seed + 5)[0]
