import torch


def integer_linear(x, z_x, w, bias, s_x, s_w):
    b = torch.round(bias / (s_x * s_w)).int()
    return torch.nn.functional.linear(x.int() - z_x, w.int(), b)
