# finds: other-half-detached
import torch


def ste(x, scale, zero_point):
    inside = torch.clamp(x, scale * (-128 - zero_point), scale * (127 - zero_point))
    rounded = scale * (torch.clamp(torch.round(x / scale) + zero_point, -128, 127) - zero_point)
    return inside.detach() + (rounded - inside)
