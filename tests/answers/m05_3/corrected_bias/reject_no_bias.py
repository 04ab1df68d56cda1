# finds: no-bias
import torch


def corrected_bias(layer, quantized, x):
    with torch.no_grad():
        error = layer(x) - quantized(x)
        dims = [d for d in range(error.dim()) if d != 1]
        old = layer.bias
        return old + error.mean(dims)
