# finds: equal-tensors
import math


def sqnr(ref, out):
    noise = ((ref - out) ** 2).sum().item()
    return 10 * math.log10((ref**2).sum().item() / noise) if noise else 0.0
