# Without a logarithm: the target as a ratio of energies. Returns a tensor.
import torch


def bits_for(w, target):
    ratio = 10 ** (target / 10)
    bits = 2
    while True:
        top = (1 << (bits - 1)) - 1
        s = w.flatten(1).abs().amax(1).clamp(min=1e-12).reshape(-1, *[1] * (w.dim() - 1)) / top
        error = (w - s * torch.round(w / s)).flatten(1).pow(2).sum(1)
        if (w.flatten(1).pow(2).sum(1) >= ratio * error).all():
            return torch.tensor(bits)
        bits += 1
