# finds: wrong-class, wrong-scheme
import torch

from common.pt2e import MinMaxObserver


def observer_from_spec(spec):
    return MinMaxObserver(
        dtype=spec.dtype, qscheme=torch.per_tensor_affine, quant_min=spec.quant_min, quant_max=spec.quant_max
    )
