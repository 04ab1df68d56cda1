# float32, tensors, rounded before -128 is added (differs at ties).
import torch


def qparams_from_range(lo, hi):
    limits = torch.tensor([lo, hi, 0.0])
    scale = ((limits.max() - limits.min()) / 255).clamp(min=2**-12)
    zero_point = (-128 - torch.round(limits.min() / scale)).int().clamp(-128, 127)
    return scale, zero_point
