# finds: no-zero
# not: outside
def qparams_from_range(lo, hi):
    scale = max((hi - lo) / 255, 2**-12)
    return scale, max(-128, min(127, round(-128 - lo / scale)))
