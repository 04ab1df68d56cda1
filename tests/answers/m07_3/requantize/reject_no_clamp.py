# finds: no-clamp
# not: clamps-first
import torch


def requantize(acc, s_in, s_w, s_out, zp):
    return (torch.round(acc * (s_in * s_w / s_out)).to(torch.int32) + zp).to(torch.int8)
