# finds: half-width
# not: one-limit, ignores-scheme
def qparams(lo, hi, quant_min, quant_max, scheme, eps):
    lo, hi = min(lo, 0.0), max(hi, 0.0)
    if scheme == "symmetric":
        return max(max(-lo, hi) / quant_max, eps), 0
    scale = max((hi - lo) / (quant_max - quant_min), eps)
    return scale, min(max(quant_min - round(lo / scale), quant_min), quant_max)
