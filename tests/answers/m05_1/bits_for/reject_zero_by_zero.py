# 0 / 0 in the channel of zeros: never good enough.
# finds: zero-channel
import torch
from common.graph_utils import sqnr


def bits_for(w, target):
    for bits in range(2, 17):
        s = w.flatten(1).abs().amax(1).reshape(-1, *[1] * (w.dim() - 1)) / (2 ** (bits - 1) - 1)
        if min(sqnr(a, b) for a, b in zip(w, s * torch.round(w / s))) >= target:
            return bits
    return 16
