# finds: nearly-equal
# not: capped
import math

import torch


def sqnr(ref, out):
    n = ((ref - out) ** 2).mean()
    s = (ref**2).mean()
    return 10 * torch.log10(s / n) if n > 1e-8 else math.inf
