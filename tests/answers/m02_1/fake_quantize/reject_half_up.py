# finds: half-up
# not: truncated, rounds-after-zero-point
import torch


def fake_quantize(x, scale, zero_point, quant_min, quant_max):
    q = torch.clamp(torch.floor(x / scale + 0.5) + zero_point, quant_min, quant_max)
    return scale * (q - zero_point)
