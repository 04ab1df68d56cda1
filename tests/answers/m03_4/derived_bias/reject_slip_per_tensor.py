# finds: raised
# not: per-tensor, refers-to-nothing
import torch

from common.pt2e import DerivedQuantizationSpec


def derived_bias(node):
    def product(observers):
        scale = observers[0].calculate_qparams()[0] * observers[1].calculate_qparams()[0]
        return scale, torch.zeros_lik(scale)

    places = [(node.args[0], node), (node.args[1], node)]
    limits = torch.iinfo(torch.int32)
    return DerivedQuantizationSpec(places, product, torch.int32, limits.min, limits.max, torch.per_tensor_symmetric)
