# finds: wrong-axis
# not: bias-forgotten
import torch


def equalize(conv_a, conv_b):
    weight_a, bias_a, weight_b = conv_a.weight.detach(), conv_a.bias.detach(), conv_b.weight.detach()
    range_a = weight_a.abs().amax((1, 2, 3))
    range_b = weight_b.abs().amax((0, 2, 3))
    s = torch.sqrt(range_a / range_b)
    return weight_a / s.view(1, -1, 1, 1), bias_a / s, weight_b * s.view(1, -1, 1, 1)
