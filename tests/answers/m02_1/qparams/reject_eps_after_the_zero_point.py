# finds: eps-too-late
# not: no-smallest-scale, truncated
def qparams(lo, hi, quant_min, quant_max, scheme, eps):
    lo, hi = min(lo, 0.0), max(hi, 0.0)
    if scheme == "symmetric":
        return max(max(-lo, hi) / ((quant_max - quant_min) / 2), eps), 0
    scale = (hi - lo) / (quant_max - quant_min)
    zero_point = quant_min if scale == 0 else quant_min - round(lo / scale)
    return max(scale, eps), min(max(zero_point, quant_min), quant_max)
