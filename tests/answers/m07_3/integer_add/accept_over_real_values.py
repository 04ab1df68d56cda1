import torch


def integer_add(a, s_a, z_a, b, s_b, z_b, s_y, z_y):
    real = s_a * (a.double() - z_a) + s_b * (b.double() - z_b)
    return torch.clamp(torch.floor(real / s_y + z_y + 0.5), min=-128, max=127).char()
