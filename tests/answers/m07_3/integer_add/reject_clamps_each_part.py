# finds: clamps-first
import torch


def integer_add(a, s_a, z_a, b, s_b, z_b, s_y, z_y):
    pa = torch.round((a.int() - z_a) * (s_a / s_y)).clamp(-128, 127)
    pb = torch.round((b.int() - z_b) * (s_b / s_y)).clamp(-128, 127)
    return torch.clamp(pa + pb + z_y, -128, 127).to(torch.int8)
