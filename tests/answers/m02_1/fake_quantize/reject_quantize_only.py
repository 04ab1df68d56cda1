# finds: not-dequantized
# not: zero-point-left-in
import torch


def fake_quantize(x, scale, zero_point, quant_min, quant_max):
    return torch.clamp(torch.round(x / scale) + zero_point, quant_min, quant_max)
