# finds: zero-point-not-0
# not: ignores-scheme
def qparams(lo, hi, quant_min, quant_max, scheme, eps):
    lo, hi = min(lo, 0.0), max(hi, 0.0)
    if scheme == "symmetric":
        hi = max(-lo, hi)
        lo = -hi
    scale = max((hi - lo) / (quant_max - quant_min), eps)
    return scale, min(max(quant_min - round(lo / scale), quant_min), quant_max)
