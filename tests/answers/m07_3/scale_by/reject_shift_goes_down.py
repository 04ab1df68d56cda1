# finds: cuts-off
# not: int32-product
import torch


def scale_by(acc, m, shift):
    return ((acc.to(torch.int64) * m) >> shift).to(torch.int32)
