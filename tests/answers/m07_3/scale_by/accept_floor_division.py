import torch


def scale_by(acc, m, shift):
    p = acc.to(torch.int64) * m
    return ((p + 2 ** (shift - 1)) // 2**shift).to(torch.int32)
