import torch
from common.graph_utils import sqnr


def bits_for(w, target):
    for bits in range(2, 17):
        top = 2 ** (bits - 1) - 1
        good = True
        for row in w:
            s = row.abs().max() / top
            back = row if s == 0 else s * torch.round(row / s).clamp(-top, top)
            good = good and sqnr(row, back) >= target
        if good:
            return bits
