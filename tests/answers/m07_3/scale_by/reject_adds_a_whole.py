# finds: cuts-off
import torch


def scale_by(acc, m, shift):
    return ((acc.to(torch.int64) * m + (1 << shift)) >> shift).to(torch.int32)
