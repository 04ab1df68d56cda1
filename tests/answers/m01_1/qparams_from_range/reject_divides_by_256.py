# finds: 256
# not: no-zero, truncated
def qparams_from_range(lo, hi):
    lo, hi = min(lo, 0.0), max(hi, 0.0)
    scale = max((hi - lo) / 256, 2**-12)
    return scale, max(-128, min(127, round(-128 - lo / scale)))
