# finds: observed
import torch

from common.pt2e import MinMaxObserver, QuantizationSpec


def derived_bias(node):
    return QuantizationSpec(
        dtype=torch.int32,
        quant_min=-(2**31),
        quant_max=2**31 - 1,
        qscheme=torch.per_tensor_symmetric,
        observer_or_fake_quant_ctr=MinMaxObserver,
    )
