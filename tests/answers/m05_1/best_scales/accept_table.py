# A table of all errors, candidates × channels, and argmin. In float64.
import torch


def best_scales(w, bits):
    top = 2 ** (bits - 1) - 1
    rows = w.double().reshape(len(w), -1)
    scales = torch.linspace(0.005, 1.02, 204, dtype=torch.float64)[:, None] * rows.abs().amax(1).clamp(min=1e-9) / top
    q = (rows / scales[..., None]).round().clamp(-top, top)
    errors = (q * scales[..., None] - rows).pow(2).mean(2)
    return scales.gather(0, errors.argmin(0, keepdim=True))[0]
