# Quantizes the caller's weight.
# finds: changes-input
import torch
from common.graph_utils import sqnr


def per_channel_vs_tensor(w):
    before = w.clone()
    one = w.abs().max() / 127
    back = one * torch.round(w / one)
    tensor = min(sqnr(a, b) for a, b in zip(w, back))
    for row in w:
        s = (row.abs().max() / 127).clamp(min=1e-9)
        row.div_(s).round_().mul_(s)
    return min(sqnr(a, b) for a, b in zip(before, w)), tensor
