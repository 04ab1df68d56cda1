"""What the exercises on changed graphs share: is the list in order, and what does the graph compute now?"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from common.exercise.base import Case, Finding
from common.exercise.evidence import Evidence, Recorder
from common.exercise.graphs import GraphFacts, run_facts

if TYPE_CHECKING:
    import torch
    from torch import fx

GUARDS = "_guards_fn"
"""A node of every exported graph that checks the shapes of inputs: whether it reads a new node does not matter."""


def inputs(case: Case) -> "tuple[torch.Tensor]":
    """Fresh data, in another batch size than that of the export."""
    from common.models import example_inputs

    return example_inputs(batch=3, seed=case.seed + 1)


def op(name: str) -> Any:
    """Return the op of a name such as ``aten.relu.default``."""
    import torch

    namespace, packet, overload = name.split(".")
    return getattr(getattr(getattr(torch.ops, namespace), packet), overload)


def call(ev: Recorder, answer: Any, gm: "fx.GraphModule", *args: Any) -> Any:
    """Call the answer, and record the graph even when it raises: how far it got says why."""
    try:
        return ev.call(answer, gm, *args)
    finally:
        ev.graph("after", gm)


def record_output(ev: Recorder, gm: "fx.GraphModule", case: Case) -> None:
    """Record what the generated code of a changed graph computes as the answer left it."""
    import torch

    with ev.student("the changed graph was run"), torch.no_grad():
        ev.tensor("output", gm(*inputs(case)))


def out_of_order(after: GraphFacts) -> tuple[str, str] | None:
    """Return the first edge (producer, consumer) along which a node is read that is not there yet, or not any more."""
    made: set[str] = set()
    for node in after.nodes:
        for name in node.inputs:
            if name not in made:
                return name, node.name
        made.add(node.name)
    return None


def same_cause(findings: Iterable[Finding], criterion: str, symptom: str) -> Finding:
    """Return a failed finding for a criterion that is not met because another one is not: it is told once."""
    cause = next((f for f in findings if not f.passed), Finding(criterion, False, symptom=symptom))
    return replace(cause, criterion=criterion)


def counts(nodes: "GraphFacts | fx.GraphModule") -> Mapping[str, int]:
    """Count the ops of a graph by the name of their target."""
    from collections import Counter

    found = nodes.nodes if isinstance(nodes, GraphFacts) else nodes.graph.nodes
    return Counter(str(n.target) for n in found if n.op == "call_function")


def computes(after: GraphFacts, reference: "fx.GraphModule", case: Case, base: "fx.GraphModule | None" = None) -> bool:
    """Whether a recorded graph, rebuilt from ops of `base` (else of the reference), computes what the reference does."""
    import torch

    with torch.no_grad():
        expected = reference(*inputs(case))
    return torch.equal(run_facts(after, base or reference, {}, inputs(case)), expected)


def output_is(evidence: Evidence, gm: "fx.GraphModule", case: Case) -> bool:
    """Whether the recorded output is that of `gm`, bit by bit: the same ops with one thread give the same bits."""
    import torch

    if not evidence.has("output"):
        return False
    with torch.no_grad():
        return torch.equal(evidence.tensor("output"), gm(*inputs(case)))
