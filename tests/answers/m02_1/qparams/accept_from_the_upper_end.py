# The zero point from the upper end of the range: the same grid, and another neighbour at some ties.
import math


def qparams(lo, hi, quant_min, quant_max, scheme, eps):
    if scheme == "symmetric":
        return max(2 * max(abs(lo), abs(hi)) / (quant_max - quant_min), eps), 0.0
    lo, hi = min(0, lo), max(0, hi)
    scale = (hi - lo) / (quant_max - quant_min)
    if scale < eps:
        scale = eps
        return [scale, max(quant_min, min(quant_max, math.floor(quant_min - lo / scale + 0.5)))]
    return [scale, math.floor(quant_max - hi / scale + 0.5)]
