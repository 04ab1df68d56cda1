"""A net at each stage of its way to int8; called by probes and judges alike."""

import copy
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from common.checks._nets import batches, exported
from common.exercise.base import Case

if TYPE_CHECKING:
    from torch import fx

GUARDS = "_guards_fn"
"""A node of every exported graph that only checks shapes."""


def stage(case: Case, name: str) -> "fx.GraphModule":
    """Return a copy of the net of a case, "exported", "prepared" (and calibrated) or "converted".

    Values of the case, all optional: `per_channel` and `fold` (both true), `weights` (see `_LABELS`) and `shift`
    (added to all weights before).
    """
    made = _stages(
        case.model,
        case.seed,
        bool(case.get("per_channel", True)),
        bool(case.get("fold", True)),
        case.get("weights"),
        float(case.get("shift", 0.0)),
    )
    return copy.deepcopy(made[name])


@lru_cache(maxsize=16)
def _stages(
    model: str, seed: int, per_channel: bool, fold: bool, weights: str | None, shift: float
) -> "dict[str, fx.GraphModule]":
    import torch

    from common.pt2e import convert_pt2e, get_xnnpack_quantizer, prepare_pt2e

    gm = exported(model, seed)
    with torch.no_grad():
        for name, parameter in gm.named_parameters():
            if name.endswith("weight"):
                parameter += shift
    quantizer = get_xnnpack_quantizer(is_per_channel=per_channel)[0] if weights is None else _weights_only(weights)
    prepared = prepare_pt2e(copy.deepcopy(gm), quantizer)
    with torch.no_grad():
        for batch in batches(seed, n=2):
            prepared(*batch)
    converted = convert_pt2e(copy.deepcopy(prepared), fold_quantize=fold)
    return {"exported": gm, "prepared": prepared, "converted": converted}


_LABELS = {
    "channel_axis_1": ("per_channel_affine", 1, "PerChannelMinMaxObserver"),
    "tensor_affine": ("per_tensor_affine", None, "MinMaxObserver"),
}
"""Other ways to quantize weights than XNNPACK's: scheme, axis, observer."""


def _weights_only(how: str) -> Any:
    """Return a quantizer that labels the weights of conv2d and linear, and nothing else."""
    import torch

    import common.pt2e as pt2e
    from common.graph_utils import short

    scheme, axis, observer = _LABELS[how]
    spec = pt2e.QuantizationSpec(
        dtype=torch.int8,
        quant_min=-128,
        quant_max=127,
        qscheme=getattr(torch, scheme),
        ch_axis=axis,
        observer_or_fake_quant_ctr=getattr(pt2e, observer),
    )

    class WeightsOnly(pt2e.Quantizer):
        def annotate(self, model: Any) -> Any:
            for node in model.graph.nodes:
                if node.op == "call_function" and short(node.target) in ("conv2d", "linear"):
                    note = pt2e.QuantizationAnnotation(input_qspec_map={node.args[1]: spec})
                    node.meta[pt2e.ANNOTATION_KEY] = note
            return model

        def validate(self, model: Any) -> None:
            return None

    return WeightsOnly()


def reorder(gm: "fx.GraphModule") -> None:
    """Bring the nodes of a graph into another order that is right as well: each as late as its first reader allows.

    Of several inputs the last one comes first, and of several users too. Placeholders keep their place before all that is computed.
    """
    order: list[Any] = []
    seen: set[Any] = set()

    def visit(node: Any) -> None:
        if node in seen:
            return
        seen.add(node)
        for read in reversed(node.all_input_nodes):
            visit(read)
        order.append(node)

    end = next(n for n in gm.graph.nodes if n.op == "output")
    placeholders = [n for n in gm.graph.nodes if n.op == "placeholder"]
    for node in [*placeholders, *(n for n in gm.graph.nodes if n.name == GUARDS), end]:
        visit(node)
    for node in order[:-1]:
        end.prepend(node)
    for node in reversed(order):
        node.args = node.args  # writing them anew moves the node to the end of its inputs' users
    gm.graph.lint()
    gm.recompile()


def nodes_of(gm: "fx.GraphModule") -> dict[str, Any]:
    """Return the nodes of a graph by name, in graph order."""
    return {n.name: n for n in gm.graph.nodes}


def observers_of(gm: "fx.GraphModule") -> list[tuple[Any, Any, str]]:
    """Return (node, observer, name of the observed node) for each place with an observer, in graph order."""
    from common.graph_utils import observer_nodes

    found: list[tuple[Any, Any]] = [*observer_nodes(gm)]
    return [(node, observer, node.args[0].name) for node, observer in found]


def names(value: Any) -> list[str] | None:
    """Return names given as a set, list, tuple or the keys of a dict, sorted; None for anything else."""
    if not isinstance(value, (set, frozenset, list, tuple, dict)) and type(value).__name__ != "dict_keys":
        return None
    found = list(value)
    return sorted(set(found)) if all(isinstance(n, str) for n in found) else None
