# finds: no-clamp
# not: clamps-before-zero-point, hard-coded-range
import torch


def fake_quantize(x, scale, zero_point, quant_min, quant_max):
    q = torch.round(x / scale) + zero_point
    return scale * (q - zero_point)
