# finds: half-up-twice
import torch


def scale_by(acc, m, shift):
    return ((acc.to(torch.int64) * m + (3 << (shift - 1))) >> shift).to(torch.int32)
