# The integers are really stored in an integer type in between.
import torch


def fake_quantize(x, scale, zero_point, quant_min, quant_max):
    q = ((x * (1.0 / scale)).round() + zero_point).clamp(quant_min, quant_max).to(torch.int32)
    return (q.to(torch.float32) - zero_point) * scale
