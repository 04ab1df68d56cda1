# Returns (zero point, scale).
# finds: swapped
# not: not-rounded, no-smallest-scale
def qparams_from_range(lo, hi):
    lo, hi = min(lo, 0.0), max(hi, 0.0)
    s = max((hi - lo) / 255, 2**-12)
    z = max(-128, min(127, round(-128 - lo / s)))
    return z, s
