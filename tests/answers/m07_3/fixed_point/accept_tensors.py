import torch


def fixed_point(multiplier):
    mant, e = torch.frexp(torch.tensor(multiplier, dtype=torch.float64))
    m = torch.round(mant * 2**31).long()
    shift = 31 - e
    if m == 2**31:
        m = m // 2
        shift = shift - 1
    return m, shift
