# Clamps to quant_max - 1.
# finds: one-integer-too-few
import torch


def fake_quantize(x, scale, zero_point, quant_min, quant_max):
    q = torch.clamp(torch.round(x / scale) + zero_point, quant_min, quant_max - 1)
    return scale * (q - zero_point)
