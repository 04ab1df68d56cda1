"""Graphs with the labels of XNNPACKQuantizer, and what these labels say; called by probes and judges alike."""

import copy
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from common.checks._nets import exported
from common.exercise.base import Case

if TYPE_CHECKING:
    from torch import fx

    from common.pt2e import XNNPACKQuantizer

GUARDS = "_guards_fn"
"""A node of every exported graph that only checks shapes."""


def quantizer_of(case: Case) -> "XNNPACKQuantizer":
    """Return a new quantizer; `per_channel` (true) and `without` (None) say how it is set.

    `more`: it labels the inputs of the net too, and marks all other ops.
    """
    from torch import nn

    from common.pt2e import get_xnnpack_quantizer

    quantizer, _source = get_xnnpack_quantizer(is_per_channel=bool(case.get("per_channel", True)))
    if case.get("more"):
        quantizer = _with_more(quantizer.global_config)
    if case.get("without"):
        quantizer.set_module_type(getattr(nn, case.without), None)  # pyright: ignore[reportArgumentType]
    return quantizer


def labelled(case: Case) -> "fx.GraphModule":
    """Return the net of a case with labels, not yet prepared. Its labels are about its own nodes.

    `moved`: [reader, old input, new input], moved before the labels are written.
    """
    gm = exported(case.model, case.seed)
    nodes = nodes_of(gm)
    for reader, old, new in case.get("moved") or ():
        nodes[reader].replace_input_with(nodes[old], nodes[new])
    quantizer_of(case).annotate(gm)
    return gm


def _with_more(config: Any) -> "XNNPACKQuantizer":
    from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, XNNPACKQuantizer

    class More(XNNPACKQuantizer):
        def annotate(self, model: Any) -> Any:
            model = super().annotate(model)
            for node in model.graph.nodes:
                if node.op == "placeholder":
                    label = QuantizationAnnotation(output_qspec=config.input_activation, _annotated=True)
                    node.meta[ANNOTATION_KEY] = label
                elif node.op == "call_function" and ANNOTATION_KEY not in node.meta:
                    node.meta[ANNOTATION_KEY] = QuantizationAnnotation(_annotated=True)
            return model

    return More().set_global(config)


def nodes_of(gm: "fx.GraphModule") -> dict[str, Any]:
    """Return the nodes of a graph by name, in graph order."""
    return {n.name: n for n in gm.graph.nodes}


def label_of(node: Any) -> Any:
    """Return the annotation of a node, or None."""
    from common.pt2e import ANNOTATION_KEY

    return node.meta.get(ANNOTATION_KEY)


def kind_of(spec: Any) -> str | None:
    """Return "per_tensor", "per_channel" or "shared" for a spec, and None for None."""
    from common.pt2e import SharedQuantizationSpec

    if spec is None:
        return None
    if isinstance(spec, SharedQuantizationSpec):
        return "shared"
    return "per_channel" if "per_channel" in str(spec.qscheme) else "per_tensor"


def reason(gm: "fx.GraphModule", producer: str, consumer: str) -> str:
    """Return what the labels say about an edge: "own", "shared", "none", "fused" or "no label"."""
    nodes = nodes_of(gm)
    a, b = nodes[producer], nodes[consumer]
    out, into = label_of(a), label_of(b)
    for spec in (out.output_qspec if out else None, into.input_qspec_map.get(a) if into else None):
        if spec is not None:
            return "shared" if kind_of(spec) == "shared" else "own"
    if into and a in into.input_qspec_map:
        return "none"
    return "fused" if out and into else "no label"


@lru_cache(maxsize=8)
def _prepared(model: str, seed: int, per_channel: bool, without: str | None) -> "fx.GraphModule":
    from common.pt2e import prepare_pt2e

    case = Case(model=model, seed=seed, per_channel=per_channel, without=without)
    return prepare_pt2e(exported(model, seed), quantizer_of(case))


def prepared(case: Case) -> "fx.GraphModule":
    """Return what prepare_pt2e makes of the net of a case."""
    made = _prepared(case.model, case.seed, bool(case.get("per_channel", True)), case.get("without"))
    return copy.deepcopy(made)
