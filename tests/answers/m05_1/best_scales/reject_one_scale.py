# One scale for all channels, repeated.
# finds: one-for-all
import torch


def best_scales(w, bits):
    top = 2 ** (bits - 1) - 1
    rows = w.flatten(1)
    largest = rows.abs().amax(1).clamp(min=1e-6)
    def error(s):
        return (rows - s * torch.round(rows / s).clamp(-top, top)).square().sum()

    best = min(torch.linspace(0.01, 1, 200) * largest.max() / top, key=error)
    return best.repeat(len(w))
