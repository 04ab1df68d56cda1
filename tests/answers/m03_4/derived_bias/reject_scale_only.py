# finds: no-tensors
import torch

from common.pt2e import ANNOTATION_KEY, DerivedQuantizationSpec


def derived_bias(node):
    data, weight = node.args[:2]
    pc = "per_channel" in str(node.meta[ANNOTATION_KEY].input_qspec_map[weight].qscheme)
    def fn(o):
        return o[0].calculate_qparams()[0] * o[1].calculate_qparams()[0]
    return DerivedQuantizationSpec([(data, node), (weight, node)], fn, torch.int32, -2**31, 2**31-1, torch.per_channel_symmetric if pc else torch.per_tensor_symmetric, 0)
