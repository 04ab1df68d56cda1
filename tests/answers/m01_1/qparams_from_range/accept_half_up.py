# From the upper end, halves rounded up.
import math


def qparams_from_range(lo, hi):
    if lo > 0:
        lo = 0.0
    if hi < 0:
        hi = 0.0
    scale = (hi - lo) / (127 - (-128))
    if scale < 2**-12:
        scale = 2**-12
    zero_point = math.floor(127 - hi / scale + 0.5) if hi - lo >= 255 * 2**-12 else math.floor(-128 - lo / scale + 0.5)
    return [scale, max(-128, min(127, zero_point))]
