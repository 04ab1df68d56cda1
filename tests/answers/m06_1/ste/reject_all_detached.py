# finds: no-graph
# not: zero
import torch


def ste(x, scale, zero_point):
    q = torch.clamp(torch.round(x / scale) + zero_point, -128, 127)
    return (scale * (q - zero_point)).detach()
