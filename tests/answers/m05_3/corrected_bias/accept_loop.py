# One channel after the other, in float64.
import torch


def corrected_bias(layer, quantized, x):
    y, z = layer(x).detach().double(), quantized(x).detach().double()
    new = []
    for c in range(y.shape[1]):
        old = 0.0 if layer.bias is None else layer.bias[c].item()
        new.append(old + y[:, c].mean().item() - z[:, c].mean().item())
    return torch.tensor(new)
