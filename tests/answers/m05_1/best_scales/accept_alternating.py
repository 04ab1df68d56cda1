# Starts from several limits, and improves each: integers from the scale, then the scale from the integers (least squares).
import torch


def best_scales(w, bits):
    top = 2 ** (bits - 1) - 1
    rows = w.flatten(1).double()
    largest = rows.abs().amax(1, keepdim=True).clamp(min=1e-9)
    best, least = largest / top, torch.full_like(largest, float("inf"))
    for start in torch.linspace(0.05, 1, 40):
        s = start * largest / top
        for _ in range(20):
            q = (rows / s).round().clamp(-top, top)
            energy = q.square().sum(1, keepdim=True)
            s = torch.where(energy > 0, (q * rows).sum(1, keepdim=True) / energy.clamp(min=1), s)
            s = s.clamp(min=1e-9)
        error = (rows - s * (rows / s).round().clamp(-top, top)).square().sum(1, keepdim=True)
        best = torch.where(error < least, s, best)
        least = torch.minimum(least, error)
    return best.flatten()
