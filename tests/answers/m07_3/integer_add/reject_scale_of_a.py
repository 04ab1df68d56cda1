# finds: one-scale
# not: adds-integers
import torch


def integer_add(a, s_a, z_a, b, s_b, z_b, s_y, z_y):
    total = (a.int() - z_a) + (b.int() - z_b)
    return (torch.round(total * (s_a / s_y)) + z_y).clamp(-128, 127).to(torch.int8)
