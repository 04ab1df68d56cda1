# finds: other-limits
import torch


def requantize(acc, s_in, s_w, s_out, zp):
    return torch.clamp(torch.round(acc * (s_in * s_w / s_out)) + zp, 0, 255).to(torch.int8)
