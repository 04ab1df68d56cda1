# finds: input-zero-point
# not: zero-point-twice
import torch


def integer_add(a, s_a, z_a, b, s_b, z_b, s_y, z_y):
    real = (a.double() + z_a) * s_a + (b.double() + z_b) * s_b
    return torch.clamp(torch.round(real / s_y) + z_y, -128, 127).to(torch.int8)
