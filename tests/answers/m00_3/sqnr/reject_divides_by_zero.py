# finds: equal-tensors
import math


def sqnr(ref, out):
    return 10 * math.log10((ref**2).sum().item() / ((ref - out) ** 2).sum().item())
