import torch


def integer_add(a, s_a, z_a, b, s_b, z_b, s_y, z_y):
    sh = 20
    ma, mb = round(s_a / s_y * 2**sh), round(s_b / s_y * 2**sh)
    t = (a.long() - z_a) * ma + (b.long() - z_b) * mb
    return (((t + 2 ** (sh - 1)) >> sh) + z_y).clamp(-128, 127).to(torch.int8)
