# finds: no-zero, outside
# not: wrong-place
def qparams(lo, hi, quant_min, quant_max, scheme, eps):
    if scheme == "symmetric":
        return max(max(-lo, hi) / ((quant_max - quant_min) / 2), eps), 0
    scale = max((hi - lo) / (quant_max - quant_min), eps)
    return scale, quant_min - round(lo / scale)
