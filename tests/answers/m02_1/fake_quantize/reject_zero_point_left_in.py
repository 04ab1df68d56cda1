# finds: zero-point-left-in
# not: not-dequantized
import torch


def fake_quantize(x, scale, zero_point, quant_min, quant_max):
    q = torch.clamp(torch.round(x / scale) + zero_point, quant_min, quant_max)
    return scale * q
