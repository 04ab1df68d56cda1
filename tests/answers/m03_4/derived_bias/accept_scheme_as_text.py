import torch

from common.pt2e import ANNOTATION_KEY, DerivedQuantizationSpec


def derived_bias(node):
    data, weight = node.args[:2]
    wspec = node.meta[ANNOTATION_KEY].input_qspec_map[weight]
    per_channel = "per_channel" in str(wspec.qscheme)
    info = torch.iinfo(torch.int32)
    def qparams(observers):
        (s, _), (w, _) = [o.calculate_qparams() for o in observers]
        scale = s * w
        return scale, torch.zeros_like(scale, dtype=torch.int32)
    
    return DerivedQuantizationSpec(derived_from=[(data, node), (weight, node)], derive_qparams_fn=qparams, dtype=torch.int32, quant_min=info.min, quant_max=info.max, qscheme=torch.per_channel_symmetric if per_channel else torch.per_tensor_symmetric, ch_axis=0 if per_channel else None)
