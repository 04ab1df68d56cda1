# The channel of zeros gets the scale 0.
# finds: zero-channel
import torch


def best_scales(w, bits):
    top = 2 ** (bits - 1) - 1
    rows = w.flatten(1)
    largest = rows.abs().amax(1).clamp(min=1e-6)
    largest = rows.abs().amax(1)
    best, least = largest / top, torch.full_like(largest, float("inf"))
    for fraction in torch.linspace(0.01, 1, 100):
        s = fraction * largest / top
        back = s[:, None] * torch.round(rows / s[:, None]).clamp(-top, top)
        error = (rows - back).square().sum(1)
        best = torch.where(error < least, s, best)
        least = torch.minimum(error, least)
    return best
