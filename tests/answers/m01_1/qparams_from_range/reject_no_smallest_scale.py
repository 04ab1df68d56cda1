# finds: no-smallest-scale
# not: raised
# Divides by zero at [0, 0].
def qparams_from_range(lo, hi):
    lo, hi = min(lo, 0.0), max(hi, 0.0)
    scale = (hi - lo) / 255
    return scale, round(-128 - lo / scale)
