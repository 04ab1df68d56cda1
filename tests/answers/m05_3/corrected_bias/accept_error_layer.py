# A layer whose weight is the error: what it computes is the shift.
import copy

import torch


def corrected_bias(layer, quantized, x):
    lost = copy.deepcopy(layer)
    with torch.no_grad():
        lost.weight.copy_(layer.weight - quantized.weight)
        lost.bias = None
        means = lost(x)
        while means.dim() > 2:
            means = means.mean(-1)
        means = means.mean(0)
    return torch.nn.Parameter(means if layer.bias is None else means + layer.bias.detach())
