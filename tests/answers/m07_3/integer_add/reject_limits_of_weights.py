# finds: other-limits
# not: no-clamp
import torch


def integer_add(a, s_a, z_a, b, s_b, z_b, s_y, z_y):
    y = (a.int() - z_a) * s_a + (b.int() - z_b) * s_b
    return torch.clamp(torch.round(y / s_y) + z_y, -127, 127).to(torch.int8)
