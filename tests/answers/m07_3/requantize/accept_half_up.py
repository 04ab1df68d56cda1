import torch


def requantize(acc, s_in, s_w, s_out, zp):
    q = torch.floor(acc * s_in * s_w / s_out + 0.5).int() + zp
    return torch.minimum(torch.maximum(q, torch.tensor(-128)), torch.tensor(127)).to(torch.int8)
