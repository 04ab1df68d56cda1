# A copy of the conv is changed, and its parameters are returned.
import copy

import torch
from torch import nn


def fold_bn(conv, bn):
    new = copy.deepcopy(conv)
    if new.bias is None:
        new.bias = nn.Parameter(torch.zeros(conv.out_channels))
    scale = (bn.running_var + bn.eps).rsqrt()
    if bn.affine:
        scale = scale * bn.weight
    with torch.no_grad():
        new.weight *= scale[:, None, None, None]
        new.bias -= bn.running_mean
        new.bias *= scale
        if bn.affine:
            new.bias += bn.bias
    return [new.weight, new.bias]
