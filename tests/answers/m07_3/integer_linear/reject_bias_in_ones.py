# finds: bias-not-scaled
# not: bias-missing
import torch


def integer_linear(x, z_x, w, bias, s_x, s_w):
    return (x.int() - z_x) @ w.int().T + torch.round(bias).int()
