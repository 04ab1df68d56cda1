# finds: no-clamp, one-everywhere
import torch


def ste(x, scale, zero_point):
    return x + (scale * torch.round(x / scale) - x).detach()
