# finds: clamps-before-zero-point
# not: no-clamp
import torch


def fake_quantize(x, scale, zero_point, quant_min, quant_max):
    q = torch.clamp(torch.round(x / scale), quant_min, quant_max) + zero_point
    return scale * (q - zero_point)
