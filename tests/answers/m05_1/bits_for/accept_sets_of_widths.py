import torch

from common.graph_utils import sqnr


def on_grid(w, scale, bits):
    top = 2 ** (bits - 1) - 1
    return scale * torch.round(w / scale).clamp(-top, top)


def bits_for(w, target):
    good = set(range(2, 17))
    for c in w:
        if not c.any():
            continue
        good &= {b for b in good if sqnr(c, on_grid(c, c.abs().max() / (2 ** (b - 1) - 1), b)) >= target}
    return min(good)
