# finds: shortcut
import torch


def fake_quantize(x, scale, zero_point, quant_min, quant_max):
    return torch.fake_quantize_per_tensor_affine(x, scale, zero_point, quant_min, quant_max)
