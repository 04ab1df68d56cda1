"""Which batch norms can be folded without changing what a net computes."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from common.checks.m04_1 import _bn
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder
from common.exercise.graphs import GRAPH

if TYPE_CHECKING:
    from torch import fx

RULES = ("no-conv", "second-reader", "shared-weight", "training")


class SafeToFold(Exercise):
    """safe_to_fold(gm): the names of the batch norms that can be folded without changing what the net computes."""

    id = "m04_1.safe_to_fold"
    kind = "practice"
    minutes = 20
    criteria = {"safe ones": 2, "unsafe ones": 2}
    must_return = True
    parameters = ("gm",)
    not_allowed = ("prepare_pt2e", "prepare_qat_pt2e", "_fuse_conv_bn_", "_fuse_linear_bn_")
    hints = (
        "Begin with exercise 2. Then ask of everything that folding changes: who else reads it?",
        "Folding changes the value of the conv, its weight and its bias. Of each of these nodes, `len(node.users)` has to be 1. "
        "Weight and bias are `conv.args[1]` and `conv.args[2]`; there may be no third argument, or it is None.",
        "Of the batch norm itself: `args[5]` (training) is False.",
    )
    misconceptions = {
        "no-conv": "There is no weight right in front of this batch norm into which it could be folded.",
        "second-reader": "Folding changes the value of the conv. Whoever else reads that value gets another one afterwards.",
        "shared-weight": "Folding changes weight and bias of the conv. If another op reads one of them too, it gets other "
        "numbers afterwards.",
        "training": "In training mode a batch norm computes with the statistics of each batch. Folded, it computes with the "
        "running ones: something else. A batch norm without running statistics is in this mode always.",
        "too-careful": "It may be folded: nobody else reads what changes. How many read the batch norm itself does not "
        "matter, and a bias may be missing.",
        "type": "The result is a set of names of nodes, such as {'batch_norm'}.",
    }
    public_cases = (
        Case(model="bn_places"),
        Case(model="bn_side_reader", seed=1),
        Case(model="conv_bn_drop", mode="train", seed=2),
        Case(model="bn_tied", seed=3),
        Case(model="tiny", seed=4),
    )
    facts = {"names": _bn.NAMES, "graph": GRAPH}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        _bn.record_names(ev, ev.call(answer, _bn.graph(case)))
        ev.graph("graph", _bn.graph(case))

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        if not evidence.has("names"):
            symptom = "The result is not a set of names."
            yield Finding(
                None, False, "type", symptom, self.misconceptions["type"], f"it is a {evidence.facts.get('type')}"
            )
            return
        said, reasons = set(evidence.facts["names"]), unsafe(_bn.graph(case))
        right = {name for name, found in reasons.items() if not found}
        missing, more = sorted(right - said), sorted(said - right)
        if missing:
            symptom = "A batch norm that can be folded is not in the result."
            yield self.failed(
                "safe ones", "too-careful", symptom, detail=", ".join(missing), graph="graph", mark=tuple(missing)
            )
        else:
            yield self.passed("safe ones")
        if more:
            known = [reasons[name] for name in more if name in reasons]
            kinds = [rule for rule in RULES if any(found == {rule} for found in known)]
            kinds = kinds or [rule for rule in RULES if any(rule in found for found in known)]
            symptom = "The result names something that cannot be folded."
            yield self.failed(
                "unsafe ones",
                kinds[0] if kinds else None,
                symptom,
                detail=", ".join(more),
                graph="graph",
                mark=tuple(name for name in more if name in reasons),
            )
        else:
            yield self.passed("unsafe ones")


def unsafe(gm: "fx.GraphModule") -> dict[str, set[str]]:
    """Why each batch norm of a graph must not be folded; an empty set: it may."""
    found: dict[str, set[str]] = {}
    for norm in _bn.batch_norms(gm):
        conv = norm.args[0]
        why = found[norm.name] = set()
        if norm.args[5]:
            why.add("training")
        if not _bn.takes_a_norm(conv):
            why.add("no-conv")
            continue
        if len(conv.users) > 1:
            why.add("second-reader")
        if any(len(n.users) > 1 for n in conv.args[1:3] if hasattr(n, "users")):
            why.add("shared-weight")
    return found
