import torch


def integer_linear(x, z_x, w, bias, s_x, s_w):
    acc = (x.double() - z_x) @ w.double().T
    return torch.round(acc + bias / (s_x * s_w)).int()
