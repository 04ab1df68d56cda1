# Copies of the layers, in float64, as Parameters.
import copy

import torch


def equalize(conv_a, conv_b):
    a, b = copy.deepcopy(conv_a).double(), copy.deepcopy(conv_b).double()
    with torch.no_grad():
        s = (a.weight.flatten(1).abs().amax(1) / b.weight.transpose(0, 1).flatten(1).abs().amax(1)).sqrt()
        a.weight.copy_(torch.einsum("i...,i->i...", a.weight, 1 / s))
        a.bias /= s
        b.weight *= s[:, None, None]
    return a.weight, a.bias, b.weight
