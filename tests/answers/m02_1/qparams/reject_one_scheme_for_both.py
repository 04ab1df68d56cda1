# finds: ignores-scheme
# not: one-limit
def qparams(lo, hi, quant_min, quant_max, scheme, eps):
    lo, hi = min(lo, 0.0), max(hi, 0.0)
    scale = max((hi - lo) / (quant_max - quant_min), eps)
    if scheme == "symmetric":
        return scale, 0
    return scale, min(max(quant_min - round(lo / scale), quant_min), quant_max)
