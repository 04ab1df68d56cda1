import torch


def scale_by(acc, m, shift):
    product, half = acc.to(torch.int64) * m, 1 << (shift - 1)
    low, rest = product >> shift, product & ((1 << shift) - 1)
    up = (rest > half) | ((rest == half) & (low % 2 == 1))
    return (low + up).to(torch.int32)
