# Per channel, in float64.
import torch


def fold_bn(conv, bn):
    weights, biases = [], []
    for i in range(conv.out_channels):
        gamma = bn.weight[i].double() if bn.affine else 1.0
        beta = bn.bias[i].double() if bn.affine else 0.0
        s = gamma / (bn.running_var[i].double() + bn.eps) ** 0.5
        b = conv.bias[i] if conv.bias is not None else 0.0
        weights.append(conv.weight[i] * s)
        biases.append(beta + s * (b - bn.running_mean[i].double()))
    return torch.stack(weights).detach(), torch.stack(biases).detach()
