# finds: raised
# not: equal-tensors
import math


def sqnr(ref, out):
    return 10 * math.log10(1 / 0)
