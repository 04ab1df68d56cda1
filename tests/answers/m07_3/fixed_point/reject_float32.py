# finds: float32
# not: cuts-off
import torch


def fixed_point(multiplier):
    mant, e = torch.frexp(torch.tensor(multiplier))
    m = round((mant * 2**31).item())
    e = int(e)
    if m == 2**31:
        m, e = 2**30, e + 1
    return m, 31 - e
