# finds: form
import torch


def scale_by(acc, m, shift):
    return (acc.to(torch.int64) * m + (1 << (shift - 1))) >> shift
