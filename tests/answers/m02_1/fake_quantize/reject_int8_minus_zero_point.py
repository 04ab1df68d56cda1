# int8 minus the zero point, in int8.
# finds: wraps
import torch


def fake_quantize(x, scale, zero_point, quant_min, quant_max):
    q = torch.clamp(torch.round(x / scale) + zero_point, quant_min, quant_max).to(torch.int8)
    return scale * (q - zero_point)
