# finds: zero-point-once
import torch


def integer_linear(x, z_x, w, bias, s_x, s_w):
    return x.int() @ w.int().T - z_x + torch.round(bias / (s_x * s_w)).int()
