import torch


def integer_add(a, s_a, z_a, b, s_b, z_b, s_y, z_y):
    part_a = torch.round((a.int() - z_a) * (s_a / s_y)).int()
    part_b = torch.round((b.int() - z_b) * (s_b / s_y)).int()
    return (part_a + part_b + z_y).clamp(-128, 127).to(torch.int8)
