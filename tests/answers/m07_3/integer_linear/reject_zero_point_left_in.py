# finds: zero-point-left-in
# not: overflow
import torch


def integer_linear(x, z_x, w, bias, s_x, s_w):
    return x.int() @ w.int().T + torch.round(bias / (s_x * s_w)).int()
