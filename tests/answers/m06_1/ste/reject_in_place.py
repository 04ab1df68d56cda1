# finds: changes-input
import torch


def ste(x, scale, zero_point):
    q = torch.clamp(torch.round(x / scale) + zero_point, -128, 127)
    x.data.copy_(scale * (q - zero_point))
    return torch.clamp(x, scale * (-128 - zero_point), scale * (127 - zero_point))
