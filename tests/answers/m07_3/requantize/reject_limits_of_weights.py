# finds: other-limits
# not: no-clamp
import torch


def requantize(acc, s_in, s_w, s_out, zp):
    return torch.clamp(torch.round(acc * (s_in * s_w / s_out)) + zp, -127, 127).to(torch.int8)
