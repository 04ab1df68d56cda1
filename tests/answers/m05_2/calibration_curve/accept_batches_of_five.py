# Batches of five, the decibels by hand, a tensor as the result, with gradients on.
import copy

import torch

from common.graph_utils import sqnr
from common.pt2e import convert_pt2e, prepare_pt2e


def calibration_curve(gm, quantizer, pictures, sizes, x):
    found = []
    for n in sizes:
        graph = copy.deepcopy(gm)
        prepared = prepare_pt2e(graph, copy.deepcopy(quantizer))
        for batch in pictures[:n].split(5):
            prepared(batch)
        wanted, got = gm(x).detach().double(), convert_pt2e(prepared)(x).detach().double()
        found.append(10 * torch.log10((wanted**2).sum() / ((wanted - got) ** 2).sum()))
    return torch.stack(found)
