# Casts to int32, which is wide enough, and clamps then.
import torch


def fake_quantize(x, scale, zero_point, quant_min, quant_max):
    q = torch.clamp(torch.round(x / scale).to(torch.int32) + zero_point, quant_min, quant_max)
    return scale * (q - zero_point)
