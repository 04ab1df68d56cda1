import torch

from common.graph_utils import sqnr


def on_grid(w, scale, bits):
    top = 2 ** (bits - 1) - 1
    return scale * torch.round(w / scale).clamp(-top, top)


def per_channel_vs_tensor(w):
    s_all = w.abs().max() / 127
    a = [sqnr(ch, torch.nan_to_num(on_grid(ch, ch.abs().max() / 127, 8))) for ch in w]
    b = [sqnr(ch, on_grid(ch, s_all, 8)) for ch in w]
    return min(a), min(b)
