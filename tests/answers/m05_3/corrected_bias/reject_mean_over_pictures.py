# The mean over the pictures alone: a number for each place.
# finds: per-picture
import torch


def corrected_bias(layer, quantized, x):
    with torch.no_grad():
        error = layer(x) - quantized(x)
        dims = [d for d in range(error.dim()) if d != 1]
        old = torch.zeros(error.shape[1]) if layer.bias is None else layer.bias
        return old.reshape(-1, *[1] * (error.dim() - 2)) + error.mean(0).flatten()[:1] + error.mean(0)
