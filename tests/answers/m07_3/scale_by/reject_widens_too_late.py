# finds: int32-product
import torch


def scale_by(acc, m, shift):
    return (((acc * m).to(torch.int64) + (1 << (shift - 1))) >> shift).to(torch.int32)
