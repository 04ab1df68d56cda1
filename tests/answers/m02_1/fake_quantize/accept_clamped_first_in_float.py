# x is clamped to the first and the last point of the grid before it is rounded.
import torch


def fake_quantize(x, scale, zero_point, quant_min, quant_max):
    first, last = scale * (quant_min - zero_point), scale * (quant_max - zero_point)
    return scale * torch.round(x.double().clamp(first, last) / scale)
