# finds: half-up
import torch


def fake_quantize(x, scale, zero_point, quant_min, quant_max):
    exact = x / scale
    q = torch.clamp(torch.sign(exact) * torch.floor(exact.abs() + 0.5) + zero_point, quant_min, quant_max)
    return scale * (q - zero_point)
