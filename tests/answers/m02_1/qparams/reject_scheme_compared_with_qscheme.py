# Compares the word with torch.per_tensor_affine, so every range is symmetric.
# finds: ignores-scheme
import torch


def qparams(lo, hi, quant_min, quant_max, scheme, eps):
    lo, hi = min(lo, 0.0), max(hi, 0.0)
    steps = quant_max - quant_min
    if scheme == torch.per_tensor_affine:
        scale = max((hi - lo) / steps, eps)
        return scale, quant_min - round(lo / scale)
    return max(max(-lo, hi) / (steps / 2), eps), 0
