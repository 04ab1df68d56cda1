# finds: bias-scale
# not: zero-point-added
import torch


def integer_linear(x, z_x, w, bias, s_x, s_w):
    return (x.int() - z_x) @ w.int().T + torch.round(bias / (s_x * float(torch.as_tensor(s_w).mean()))).int()
