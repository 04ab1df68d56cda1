# finds: too-early
# The scales are computed from observers of its own, when the label is written.
import torch

from common.pt2e import ANNOTATION_KEY, DerivedQuantizationSpec


def product(observers):
    (act, _), (weight, _) = (observer.calculate_qparams() for observer in observers)
    scale = act * weight
    return scale, torch.zeros_like(scale, dtype=torch.int32)


def derived_bias(node):
    data, weight = node.args[:2]
    qscheme = node.meta[ANNOTATION_KEY].input_qspec_map[weight].qscheme
    made = [spec.observer_or_fake_quant_ctr() for spec in node.meta[ANNOTATION_KEY].input_qspec_map.values()]
    return DerivedQuantizationSpec(
        derived_from=[(data, node), (weight, node)],
        derive_qparams_fn=lambda observers: product(made),
        dtype=torch.int32,
        quant_min=-(2**31),
        quant_max=2**31 - 1,
        qscheme=qscheme,
        ch_axis=0 if qscheme == torch.per_channel_symmetric else None,
    )
