# A dict instead of a pair.
# finds: form
def qparams(lo, hi, quant_min, quant_max, scheme, eps):
    lo, hi = min(lo, 0.0), max(hi, 0.0)
    steps = quant_max - quant_min
    if scheme == "affine":
        scale = max((hi - lo) / steps, eps)
        return {"scale": scale, "zero_point": quant_min - round(lo / scale)}
    return {"scale": max(max(-lo, hi) / (steps / 2), eps), "zero_point": 0}
