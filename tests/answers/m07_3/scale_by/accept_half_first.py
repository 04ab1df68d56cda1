import torch


def scale_by(acc, m, shift):
    product = acc.to(torch.int64) * m
    return ((product + (1 << (shift - 1))) >> shift).to(torch.int32)
