# Halves the interval.
# finds: jumps
import math

import torch
from common.graph_utils import sqnr


def quality(w, bits, top=None, axis=0, measured=0):
    top = top or 2 ** (bits - 1) - 1
    others = [d for d in range(w.dim()) if d != axis]
    s = (w.abs().amax(dim=others, keepdim=True) if axis is not None else w.abs().max()).clamp(min=1e-12) / top
    back = s * torch.round(w / s).clamp(-math.ceil(top), math.ceil(top))
    return [sqnr(a, b) for a, b in zip(w.movedim(measured, 0), back.movedim(measured, 0))]


def bits_for(w, target):
    low, high = 2, 16
    while low < high:
        middle = (low + high) // 2
        if min(quality(w, middle)) >= target:
            high = middle
        else:
            low = middle + 1
    return low
