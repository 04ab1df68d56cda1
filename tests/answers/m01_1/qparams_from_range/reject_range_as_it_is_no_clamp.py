# finds: no-zero, outside
def qparams_from_range(lo, hi):
    scale = max((hi - lo) / 255, 2**-12)
    return scale, round(-128 - lo / scale)
