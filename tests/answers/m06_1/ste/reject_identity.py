# finds: identity
# not: no-clamp
import torch


def ste(x, scale, zero_point):
    return torch.clamp(x, scale * (-128 - zero_point), scale * (127 - zero_point))
