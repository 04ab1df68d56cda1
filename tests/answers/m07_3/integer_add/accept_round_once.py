import torch


def integer_add(a, s_a, z_a, b, s_b, z_b, s_y, z_y):
    part_a = (a.to(torch.int32) - z_a) * (s_a / s_y)
    part_b = (b.to(torch.int32) - z_b) * (s_b / s_y)
    return (torch.round(part_a + part_b) + z_y).clamp(-128, 127).to(torch.int8)
