# Multiplies where it has to divide.
# finds: scale-upside-down
import torch


def fake_quantize(x, scale, zero_point, quant_min, quant_max):
    q = torch.clamp(torch.round(x * scale) + zero_point, quant_min, quant_max)
    return (q - zero_point) / scale
