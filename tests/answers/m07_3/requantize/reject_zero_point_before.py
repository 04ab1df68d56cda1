# finds: forgets-zero-point
import torch


def requantize(acc, s_in, s_w, s_out, zp):
    return torch.round((acc + zp) * (s_in * s_w / s_out)).clamp(-128, 127).to(torch.int8)
