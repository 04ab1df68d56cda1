# finds: one-everywhere
import torch


def ste(x, scale, zero_point):
    q = torch.clamp(torch.round(x / scale) + zero_point, -128, 127)
    clamped = torch.clamp(x, -128, 127)
    return clamped + ((q - zero_point) * scale - clamped).detach()
