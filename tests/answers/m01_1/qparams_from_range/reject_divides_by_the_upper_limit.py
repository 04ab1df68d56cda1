# finds: raised
# not: no-smallest-scale
# Another division by zero, at ranges below 0.
def qparams_from_range(lo, hi):
    lo, hi = min(lo, 0.0), max(hi, 0.0)
    ratio = lo / hi
    scale = max((hi - lo) / 255, 2**-12)
    return scale, round(-128 - ratio * hi / scale)
