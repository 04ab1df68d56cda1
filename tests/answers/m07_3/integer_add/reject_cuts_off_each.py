# finds: cuts-off
import torch


def integer_add(a, s_a, z_a, b, s_b, z_b, s_y, z_y):
    part_a = ((a.int() - z_a) * (s_a / s_y)).to(torch.int32)
    part_b = ((b.int() - z_b) * (s_b / s_y)).to(torch.int32)
    return (part_a + part_b + z_y).clamp(-128, 127).to(torch.int8)
