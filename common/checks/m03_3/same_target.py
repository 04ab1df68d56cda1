"""A prediction: which comparisons find a node, and which only look as if they did."""

from collections.abc import Iterator
from typing import Any

from common.checks._nets import exported
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder


class SameTarget(Exercise):
    """same_target(): predict six comparisons with the target of a node."""

    id = "m03_3.same_target"
    kind = "prediction"
    minutes = 5
    parameters = ()
    criteria = {"packet": 0, "overload": 0, "module": 0, "text": 0, "in place": 0, "number": 0}
    hints = (
        "A packet is a family of overloads, and a graph calls one member of it.",
        "Row 4 asks for a piece of text. Row 6: read the name of the overload in the graph of `scalars`.",
    )
    misconceptions = {
        "packet-is-no-overload": "`aten.conv2d` is the packet with all overloads, `aten.conv2d.default` is one of them, and "
        "the target of a node is an overload. They are not equal.",
        "overload-is-the-target": "The target of a `call_function` node is exactly this object: an overload.",
        "no-modules-any-more": "After torch.export the graph calls functions. The module that a node came from is only "
        "mentioned in `node.meta`.",
        "part-of-a-text": "`in` looks for a piece of text, and “relu” is a piece of “aten.relu6.default”.",
        "in-place-is-another-op": "`relu_` writes into its input. It computes the same, and is an op of its own.",
        "number-and-overload": "The overload is called `Tensor` because the second operand may be a tensor. In the graph "
        "it stands for numbers too.",
    }
    public_cases = (Case(),)
    facts = {"answer": {"type": ["array", "null"], "maxItems": 6, "items": {"type": "boolean"}}}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        predicted = ev.call(answer)
        rows = list(predicted) if isinstance(predicted, (list, tuple)) else []
        good = len(rows) == len(self.criteria) and all(type(row) is bool for row in rows)
        ev.fact("answer", rows if good else None)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        answer = evidence.facts["answer"]
        if answer is None or len(answer) != len(self.criteria):
            yield Finding(None, False, "form", "The prediction is a list of six values, each True or False.")
            return
        rows = zip(self.criteria, self.misconceptions, answer, _truth(), strict=True)
        for number, (criterion, kind, said, true) in enumerate(rows, 1):
            if said == true:
                yield self.passed(criterion)
            else:
                yield self.failed(criterion, kind, f"The comparison of row {number} gives the other value.")


def _truth() -> list[bool]:
    """Make the six comparisons on the graphs of the lesson."""
    import torch
    from torch import nn

    aten = torch.ops.aten
    target: dict[str, Any] = {n.name: n.target for n in exported("relu_kinds", 0).graph.nodes}
    add: Any = next(n.target for n in exported("scalars", 0).graph.nodes if n.name == "add")
    return [
        target["conv2d"] == aten.conv2d,
        target["conv2d"] == aten.conv2d.default,
        target["conv2d"] == nn.Conv2d,
        "relu" in str(target["relu6"]),
        target["relu_"] == aten.relu.default,
        add == aten.add.Tensor,
    ]
