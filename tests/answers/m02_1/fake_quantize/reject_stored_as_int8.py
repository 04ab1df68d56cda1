# It is right for int8, and for 0…255 it is not.
# finds: wraps
# not: no-clamp, hard-coded-range
import torch


def fake_quantize(x, scale, zero_point, quant_min, quant_max):
    q = ((x * (1.0 / scale)).round() + zero_point).clamp(quant_min, quant_max).to(torch.int8)
    return (q.to(torch.float32) - zero_point) * scale
