import torch


def ste(x, scale, zero_point):
    y = torch.quantize_per_tensor(x.detach(), scale, zero_point, torch.qint8).dequantize()
    inside = x.clamp((-128 - zero_point) * scale, (127 - zero_point) * scale)
    return inside + (y - inside).detach()
