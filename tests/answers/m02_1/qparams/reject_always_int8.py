# finds: hard-coded-range
# not: one-step-too-many, half-width
def qparams(lo, hi, quant_min, quant_max, scheme, eps):
    lo, hi = min(lo, 0.0), max(hi, 0.0)
    if scheme == "symmetric":
        return max(max(-lo, hi) / 127.5, eps), 0
    scale = max((hi - lo) / 255, eps)
    return scale, min(max(-128 - round(lo / scale), -128), 127)
