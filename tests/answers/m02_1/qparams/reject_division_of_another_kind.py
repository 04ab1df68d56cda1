# It divides by zero for another reason than a scale of 0.
# not: no-smallest-scale
# finds: raised
def qparams(lo, hi, quant_min, quant_max, scheme, eps):
    lo, hi = min(lo, 0.0), max(hi, 0.0)
    share = lo / (hi - 2.0)
    scale = max((hi - lo) / (quant_max - quant_min), eps)
    return scale, round(share)
