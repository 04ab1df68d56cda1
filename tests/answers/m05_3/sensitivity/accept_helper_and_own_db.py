# Two functions, bits given by name, decibels computed here, tensors as results.
import copy

import torch

from common.pt2e import convert_pt2e, prepare_pt2e
from common.sensitivity import OnlyLayers


def one(gm, name, bits, batches):
    gm = prepare_pt2e(copy.deepcopy(gm), OnlyLayers({name: bits}))
    [gm(*b) for b in batches]
    return convert_pt2e(gm)


def sensitivity(gm, layers, bits, batches, x):
    y = gm(x).detach()
    return {n: 10 * torch.log10(y.pow(2).sum() / (y - one(gm, n, bits, batches)(x).detach()).pow(2).sum()) for n in layers}
