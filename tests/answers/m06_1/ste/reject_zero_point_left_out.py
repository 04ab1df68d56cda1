# finds: ignores-zero-point
import torch


def ste(x, scale, zero_point):
    inside = torch.clamp(x, scale * -128, scale * 127)
    rounded = scale * torch.clamp(torch.round(x / scale), -128, 127)
    return inside + (rounded - inside).detach()
