# finds: adds-integers
import torch


def integer_add(a, s_a, z_a, b, s_b, z_b, s_y, z_y):
    return (a.int() + b.int()).clamp(-128, 127).to(torch.int8)
