def qparams(lo, hi, quant_min, quant_max, scheme, eps):
    lo, hi = min(lo, 0.0), max(hi, 0.0)
    steps = quant_max - quant_min
    if scheme == "symmetric":
        return max(max(-lo, hi) / (steps / 2), eps), 0
    scale = max((hi - lo) / steps, eps)
    zero_point = quant_min - round(lo / scale)
    return scale, min(max(zero_point, quant_min), quant_max)
