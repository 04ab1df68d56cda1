# Numbers of numpy, clipped.
import numpy as np


def qparams(lo, hi, quant_min, quant_max, scheme, eps):
    lo, hi = np.minimum(lo, 0.0), np.maximum(hi, 0.0)
    steps = quant_max - quant_min
    if scheme == "affine":
        s = np.maximum((hi - lo) / steps, eps)
        return np.float64(s), np.clip(quant_min - np.round(lo / s), quant_min, quant_max)
    return np.maximum(np.maximum(-lo, hi) / (steps / 2), eps), 0
