# finds: adds-integers
# not: one-scale
import torch


def integer_add(a, s_a, z_a, b, s_b, z_b, s_y, z_y):
    return (a.int() - z_a + b.int() - z_b + z_y).clamp(-128, 127).to(torch.int8)
