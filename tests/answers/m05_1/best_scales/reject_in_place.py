# Clamps the caller's weight.
# finds: changes-input
import torch


def best_scales(w, bits):
    top = 2 ** (bits - 1) - 1
    rows = w.flatten(1)
    largest = rows.abs().amax(1).clamp(min=1e-6)
    flat = w.view(len(w), -1)
    flat.copy_(torch.minimum(torch.maximum(flat, -0.6 * largest[:, None]), 0.6 * largest[:, None]))
    return 0.6 * largest / top
