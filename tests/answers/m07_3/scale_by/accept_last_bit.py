import torch


def scale_by(acc, m, shift):
    product = acc.to(torch.int64) * m
    return ((product >> shift) + ((product >> (shift - 1)) & 1)).int()
