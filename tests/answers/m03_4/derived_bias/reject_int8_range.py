# finds: int8
import torch

from common.pt2e import ANNOTATION_KEY, DerivedQuantizationSpec


def product(observers):
    (act, _), (weight, _) = (observer.calculate_qparams() for observer in observers)
    scale = act * weight
    return scale, torch.zeros_like(scale, dtype=torch.int32)


def derived_bias(node):
    data, weight = node.args[:2]
    qscheme = node.meta[ANNOTATION_KEY].input_qspec_map[weight].qscheme
    return DerivedQuantizationSpec(
        derived_from=[(data, node), (weight, node)],
        derive_qparams_fn=product,
        dtype=torch.int32,
        quant_min=-128,
        quant_max=127,
        qscheme=qscheme,
        ch_axis=0 if qscheme == torch.per_channel_symmetric else None,
    )
