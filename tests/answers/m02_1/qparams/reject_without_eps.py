# finds: no-smallest-scale
# not: eps-too-late
def qparams(lo, hi, quant_min, quant_max, scheme, eps):
    lo, hi = min(lo, 0.0), max(hi, 0.0)
    if scheme == "symmetric":
        return max(-lo, hi) / ((quant_max - quant_min) / 2), 0
    scale = (hi - lo) / (quant_max - quant_min)
    return scale, min(max(quant_min - round(lo / scale), quant_min), quant_max)
