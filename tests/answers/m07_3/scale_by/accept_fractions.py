from fractions import Fraction

import torch


def scale_by(acc, m, shift):
    out = [round(Fraction(a * m, 2**shift)) for a in acc.flatten().tolist()]
    return torch.tensor(out, dtype=torch.int32).view(acc.shape)
