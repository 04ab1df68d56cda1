# finds: overflow
import torch


def integer_linear(x, z_x, w, bias, s_x, s_w):
    steps = torch.round(bias / (s_x * s_w)).to(torch.int32)
    return ((x - z_x) @ w.T).to(torch.int32) + steps
