# finds: other-class
# not: observed
import torch

from common.pt2e import FixedQParamsQuantizationSpec


def derived_bias(node):
    info = torch.iinfo(torch.int32)
    return FixedQParamsQuantizationSpec(
        dtype=torch.int32, scale=1e-4, zero_point=0, quant_min=info.min, quant_max=info.max, qscheme=torch.per_tensor_symmetric
    )
