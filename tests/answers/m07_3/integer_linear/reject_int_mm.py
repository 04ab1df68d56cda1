# finds: shortcut
import torch


def integer_linear(x, z_x, w, bias, s_x, s_w):
    b = (bias / (s_x * torch.as_tensor(s_w))).round().to(torch.int32) - z_x * w.sum(1, dtype=torch.int32)
    return torch._int_mm(x, w.t().contiguous()) + b
