# finds: not-rounded
def qparams_from_range(lo, hi):
    lo, hi = min(lo, 0.0), max(hi, 0.0)
    scale = max((hi - lo) / 255, 2**-12)
    return scale, -128 - lo / scale
