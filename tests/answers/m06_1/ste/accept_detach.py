import torch


def ste(x, scale, zero_point):
    low, high = scale * (-128 - zero_point), scale * (127 - zero_point)
    inside = torch.clamp(x, low, high)
    rounded = scale * (torch.clamp(torch.round(x / scale) + zero_point, -128, 127) - zero_point)
    return inside + (rounded - inside).detach()
