# Returns (zero point, scale).
# finds: swapped
# not: no-smallest-scale
def qparams(lo, hi, quant_min, quant_max, scheme, eps):
    lo, hi = min(lo, 0.0), max(hi, 0.0)
    steps = quant_max - quant_min
    if scheme == "affine":
        scale = max((hi - lo) / steps, eps)
        return quant_min - round(lo / scale), scale
    return 0, max(max(-lo, hi) / (steps / 2), eps)
