import torch


def scale_by(acc, m, shift):
    wide = acc.to(torch.int64)
    product = (wide * (m >> 16) << 16) + wide * (m & 0xFFFF)
    return ((product + (1 << (shift - 1))) >> shift).to(torch.int32)
