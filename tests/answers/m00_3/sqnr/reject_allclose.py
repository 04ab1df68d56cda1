# finds: nearly-equal
# not: capped
import math

import torch


def sqnr(ref, out):
    if torch.allclose(ref, out):
        return torch.inf
    return 10 * math.log10(float((ref * ref).sum()) / float(((ref - out) * (ref - out)).sum()))
