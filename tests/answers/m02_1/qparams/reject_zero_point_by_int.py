# int() of the whole zero point.
# finds: truncated
def qparams(lo, hi, quant_min, quant_max, scheme, eps):
    lo, hi = min(lo, 0.0), max(hi, 0.0)
    steps = quant_max - quant_min
    if scheme == "affine":
        scale = max((hi - lo) / steps, eps)
        return scale, int(quant_min - lo / scale)
    return max(max(-lo, hi) / (steps / 2), eps), 0
