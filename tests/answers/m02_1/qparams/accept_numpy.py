import numpy as np


def qparams(lo, hi, quant_min, quant_max, scheme, eps):
    ends = np.array([lo, hi, 0.0])
    half = (quant_max - quant_min) / 2
    reach = np.abs(ends).max() if scheme == "symmetric" else (ends.max() - ends.min()) / 2
    scale = np.maximum(reach / half, eps)
    if scheme == "symmetric":
        return scale, np.int64(0)
    return scale, np.clip(np.rint(quant_min - ends.min() / scale), quant_min, quant_max)
