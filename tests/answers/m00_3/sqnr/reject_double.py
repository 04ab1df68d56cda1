# finds: double
import math


def sqnr(ref, out):
    noise = ((ref - out) ** 2).sum()
    if noise == 0:
        return math.inf
    return 20 * math.log10((ref**2).sum() / noise)
