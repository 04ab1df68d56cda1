# Adds eps to every scale.
# finds: eps-added
def qparams(lo, hi, quant_min, quant_max, scheme, eps):
    lo, hi = min(lo, 0.0), max(hi, 0.0)
    steps = quant_max - quant_min
    if scheme == "affine":
        scale = (hi - lo) / steps + eps
        return scale, quant_min - round(lo / scale)
    return max(-lo, hi) / (steps / 2) + eps, 0
