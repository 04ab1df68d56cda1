# finds: size-of-the-error
import torch


def corrected_bias(layer, quantized, x):
    with torch.no_grad():
        error = layer(x) - quantized(x)
        dims = [d for d in range(error.dim()) if d != 1]
        old = torch.zeros(error.shape[1]) if layer.bias is None else layer.bias
        return old + error.abs().mean(dims)
