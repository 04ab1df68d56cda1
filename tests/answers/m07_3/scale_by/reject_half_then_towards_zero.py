# finds: cuts-off
# not: float
import torch


def scale_by(acc, m, shift):
    p = acc.long() * m + 2 ** (shift - 1)
    return torch.div(p, 2**shift, rounding_mode="trunc").int()
