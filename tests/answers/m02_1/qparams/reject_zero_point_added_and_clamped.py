# The sign of the zero point is wrong, and it is clamped.
# finds: wrong-place
# not: truncated
def qparams(lo, hi, quant_min, quant_max, scheme, eps):
    lo, hi = min(lo, 0.0), max(hi, 0.0)
    steps = quant_max - quant_min
    if scheme == "affine":
        scale = max((hi - lo) / steps, eps)
        return scale, max(quant_min, min(quant_max, quant_min + round(lo / scale)))
    return max(max(-lo, hi) / (steps / 2), eps), 0
