# finds: clamps-first
# not: no-clamp
import torch


def requantize(acc, s_in, s_w, s_out, zp):
    return (torch.round(acc * (s_in * s_w / s_out)).clamp(-128, 127) + zp).to(torch.int8)
