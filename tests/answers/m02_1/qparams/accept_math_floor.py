# Rounds with floor(x + 0.5), and returns a list.
import math


def qparams(lo, hi, quant_min, quant_max, scheme, eps):
    lo, hi = min(lo, 0.0), max(hi, 0.0)
    s = (hi - lo) / (quant_max - quant_min) if scheme == "affine" else max(-lo, hi) / ((quant_max - quant_min) / 2)
    s = max(s, eps)
    z = 0 if scheme == "symmetric" else quant_min + math.floor(-lo / s + 0.5)
    return [s, z]
