import torch


def scale_by(acc, m, shift):
    almost = (acc.long() * m) >> (shift - 1)
    return ((almost + 1) >> 1).to(dtype=torch.int32)
