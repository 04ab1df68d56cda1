import copy

import torch


def fold_bn(conv, bn):
    new = copy.deepcopy(conv)
    bias = torch.zeros(conv.out_channels)
    with torch.no_grad():
        for c in range(conv.out_channels):
            g = 1.0 if bn.weight is None else bn.weight[c].item()
            be = 0.0 if bn.bias is None else bn.bias[c].item()
            s = g / (bn.running_var[c].item() + bn.eps) ** 0.5
            new.weight[c] *= s
            b = 0.0 if conv.bias is None else conv.bias[c].item()
            bias[c] = (b - bn.running_mean[c].item()) * s + be
    return new.weight, bias
