# finds: capped
# not: nearly-equal
import math

import torch


def sqnr(ref, out):
    if torch.equal(ref, out):
        return math.inf
    return 10 * torch.log10(ref.pow(2).sum() / ((ref - out).pow(2).sum() + 1e-9))
