# finds: changes-layers
# not: batch-statistics
# What bn makes of 0 and of 1 says its scale and its shift.
import torch


def fold_bn(conv, bn):
    bn.eval()
    with torch.no_grad():
        shift = bn(torch.zeros(1, conv.out_channels, 1, 1)).flatten()
        scale = bn(torch.ones(1, conv.out_channels, 1, 1)).flatten() - shift
        weight = torch.einsum("o,oihw->oihw", scale, conv.weight)
        bias = shift if conv.bias is None else shift + scale * conv.bias
    return weight, bias
