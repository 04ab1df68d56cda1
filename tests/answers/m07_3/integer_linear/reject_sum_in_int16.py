# finds: overflow
# not: float-sum
import torch


def integer_linear(x, z_x, w, bias, s_x, s_w):
    steps = torch.round(bias / (s_x * s_w)).to(torch.int32)
    return ((x.to(torch.int16) - z_x) @ w.to(torch.int16).T).to(torch.int32) + steps
