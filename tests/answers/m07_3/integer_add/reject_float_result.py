# finds: form
import torch


def integer_add(a, s_a, z_a, b, s_b, z_b, s_y, z_y):
    total = (a.int() - z_a) * (s_a / s_y) + (b.int() - z_b) * (s_b / s_y)
    return (torch.round(total) + z_y).clamp(-128, 127)
