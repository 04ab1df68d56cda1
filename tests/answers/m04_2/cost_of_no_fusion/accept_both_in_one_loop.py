# Gradients stay on; the result is a list of numbers of torch.
import copy

import torch

from common.graph_utils import sqnr
from common.pt2e import convert_pt2e, prepare_pt2e


def cost_of_no_fusion(gm, fused, per_op, batches, x):
    nets = [prepare_pt2e(copy.deepcopy(gm), q) for q in (fused, per_op)]
    for batch in batches:
        for net in nets:
            net(*batch)
    wanted = gm(x)
    return [torch.tensor(sqnr(wanted, convert_pt2e(net)(x)), dtype=torch.float64) for net in nets]
