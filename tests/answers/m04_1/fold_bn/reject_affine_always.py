# finds: missing-part
# not: raised
import torch


def fold_bn(conv, bn):
    c = torch.zeros(conv.out_channels) if conv.bias is None else conv.bias
    gamma = bn.weight
    beta = bn.bias
    with torch.no_grad():
        s = gamma / torch.sqrt(bn.running_var + bn.eps)
        return conv.weight * s.view(-1, 1, 1, 1), (c - bn.running_mean) * s + beta
