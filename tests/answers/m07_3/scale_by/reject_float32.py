# finds: float
# not: int32-product
import torch


def scale_by(acc, m, shift):
    return torch.round(acc.float() * (m / 2**shift)).to(torch.int32)
