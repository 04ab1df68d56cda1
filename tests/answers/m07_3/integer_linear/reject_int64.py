# finds: not-int32
# not: bias-scale
import torch


def integer_linear(x, z_x, w, bias, s_x, s_w):
    return (x.long() - z_x) @ w.long().T + torch.round(bias / (s_x * s_w)).long()
