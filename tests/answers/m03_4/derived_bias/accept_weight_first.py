# The weight is named first, its scale decides on the shape; the zero points are those of a symmetric weight.
import torch

from common.pt2e import ANNOTATION_KEY, DerivedQuantizationSpec


def derived_bias(node):
    act, weight, *_ = node.all_input_nodes
    note = node.meta[ANNOTATION_KEY]
    axis = None if note.input_qspec_map[weight].ch_axis is None else 0

    def derive(observers):
        weight_scale, _ = observers[0].calculate_qparams()
        act_scale, _ = observers[1].calculate_qparams()
        scales = torch.tensor([float(s) * float(act_scale) for s in weight_scale])
        return scales, torch.zeros(len(scales), dtype=torch.int64)

    limits = torch.iinfo(torch.int32)
    scheme = torch.per_tensor_affine if axis is None else torch.per_channel_affine
    places = [(weight, node), (act, node)]
    return DerivedQuantizationSpec(places, derive, torch.int32, limits.min, limits.max, scheme, axis)
