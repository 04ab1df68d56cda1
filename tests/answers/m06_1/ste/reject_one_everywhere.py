# finds: one-everywhere
# not: zero, ignores-zero-point
import torch


def ste(x, scale, zero_point):
    rounded = scale * (torch.clamp(torch.round(x / scale) + zero_point, -128, 127) - zero_point)
    return x + (rounded - x).detach()
