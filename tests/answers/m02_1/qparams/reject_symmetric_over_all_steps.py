# Divides by all steps instead of half of them.
# finds: all-steps
# not: one-limit
def qparams(lo, hi, quant_min, quant_max, scheme, eps):
    lo, hi = min(lo, 0.0), max(hi, 0.0)
    steps = quant_max - quant_min
    if scheme == "affine":
        scale = max((hi - lo) / steps, eps)
        return scale, quant_min - round(lo / scale)
    return max(max(-lo, hi) / steps, eps), 0
