# Only how much was won: neighbours of wrong pairs.
# finds: raised
# not: swapped, averages
import torch
from common.graph_utils import sqnr


def per_channel_vs_tensor(w):
    s = w.flatten(1).abs().amax(1).clamp(min=1e-9).reshape(-1, *[1] * (w.dim() - 1)) / 127
    return min(sqnr(a, b) for a, b in zip(w, s * torch.round(w / s)))
