# finds: wraps
# not: no-clamp
import torch


def fake_quantize(x, scale, zero_point, quant_min, quant_max):
    q = (torch.round(x / scale) + zero_point).to(torch.int64).to(torch.int8)
    q = q.float().clamp(quant_min, quant_max)
    return scale * (q - zero_point)
