"""Quantize some layers of a graph and leave the others in float: what lesson m05_3 measures with."""

import copy
from collections.abc import Iterable, Mapping
from operator import attrgetter

import torch
from torch import fx

from common.graph_utils import node_outputs, short
from common.pt2e import (
    ANNOTATION_KEY,
    MinMaxObserver,
    PerChannelMinMaxObserver,
    QuantizationAnnotation,
    QuantizationSpec,
    Quantizer,
    convert_pt2e,
    prepare_pt2e,
)

LAYERS = ("conv2d", "linear")
"""The ops that hold a weight, by their short name."""


def layers_of(gm: fx.GraphModule) -> list[str]:
    """Return the names of the nodes that compute with a weight (conv2d, linear), in graph order."""
    return [n.name for n in gm.graph.nodes if n.op == "call_function" and short(n.target) in LAYERS]


class OnlyLayers(Quantizer):
    """Quantizes the layers that are named, and nothing else.

    Of each one, the value that it reads gets 8 bits (one scale), and its weight gets `weight_bits` (one scale per
    output channel). What the layer computes is handed on in float. All other layers stay in float.

    Args:
        names: names of conv2d or linear nodes, as `layers_of` gives them; or a mapping from name to bits of the weight.
        weight_bits: 2 to 8, for all layers where `names` is no mapping.
    """

    def __init__(self, names: Iterable[str] | Mapping[str, int], weight_bits: int = 8) -> None:
        super().__init__()
        if isinstance(names, str):
            raise TypeError(f"OnlyLayers takes a list of names: OnlyLayers([{names!r}])")
        self.bits = dict(names) if isinstance(names, Mapping) else dict.fromkeys(names, weight_bits)

    def annotate(self, model: fx.GraphModule) -> fx.GraphModule:
        """Label the value and the weight that each named layer reads."""
        nodes = {n.name: n for n in model.graph.nodes}
        for name, bits in self.bits.items():
            if name not in nodes or short(nodes[name].target) not in LAYERS:
                raise ValueError(f"there is no layer {name!r} in this graph; it has {layers_of(model)}")
            value, weight = nodes[name].all_input_nodes[:2]
            nodes[name].meta[ANNOTATION_KEY] = QuantizationAnnotation(
                input_qspec_map={value: _values(), weight: _weights(bits)}, _annotated=True
            )
        return model

    def validate(self, model: fx.GraphModule) -> None:
        """Everything that `annotate` writes can be done."""


def _values() -> QuantizationSpec:
    return QuantizationSpec(
        dtype=torch.int8,
        observer_or_fake_quant_ctr=MinMaxObserver.with_args(eps=2**-12),
        quant_min=-128,
        quant_max=127,
        qscheme=torch.per_tensor_affine,
    )


def _weights(bits: int) -> QuantizationSpec:
    largest = 2 ** (bits - 1) - 1
    return QuantizationSpec(
        dtype=torch.int8,
        observer_or_fake_quant_ctr=PerChannelMinMaxObserver.with_args(eps=2**-12),
        quant_min=-largest,
        quant_max=largest,
        qscheme=torch.per_channel_symmetric,
        ch_axis=0,
    )


def quantize_only(
    gm: fx.GraphModule,
    names: Iterable[str] | Mapping[str, int],
    batches: Iterable[tuple[torch.Tensor, ...]],
    weight_bits: int = 8,
) -> fx.GraphModule:
    """Return a converted copy of `gm` in which the layers that are named are quantized, after a calibration on `batches`."""
    prepared = prepare_pt2e(copy.deepcopy(gm), OnlyLayers(names, weight_bits))
    with torch.no_grad():
        for batch in batches:
            prepared(*batch)
    return convert_pt2e(prepared)


def with_corrected_biases(gm: fx.GraphModule, quantized: fx.GraphModule, x: torch.Tensor) -> fx.GraphModule:
    """Return a copy of `quantized` whose layers have, on x, the same mean in each channel as those of `gm`.

    From the first layer to the last one: each bias takes what the layers before it have left.
    """
    corrected, wanted = copy.deepcopy(quantized), node_outputs(gm, x)
    nodes = {n.name: n for n in corrected.graph.nodes}
    for name in layers_of(gm):
        error = wanted[name] - node_outputs(corrected, x)[name]
        bias = nodes[name].all_input_nodes[2]
        with torch.no_grad():
            attrgetter(str(bias.target))(corrected).add_(error.mean([d for d in range(error.dim()) if d != 1]))
    return corrected
