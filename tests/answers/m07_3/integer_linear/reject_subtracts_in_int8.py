# finds: overflow
# not: zero-point-left-in, zero-point-added
import torch


def integer_linear(x, z_x, w, bias, s_x, s_w):
    steps = torch.round(bias / (s_x * s_w)).to(torch.int32)
    return (x - z_x).to(torch.int32) @ w.to(torch.int32).T + steps
