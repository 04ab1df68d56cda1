# finds: turned-round
# not: only-first
import torch


def equalize(conv_a, conv_b):
    with torch.no_grad():
        range_a = conv_a.weight.abs().amax((1, 2, 3))
        range_b = conv_b.weight.abs().amax((0, 2, 3))
        s = torch.sqrt(range_a / range_b)
        return conv_a.weight * s[:, None, None, None], conv_a.bias * s, conv_b.weight / s[None, :, None, None]
