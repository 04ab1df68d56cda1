# finds: against-each-other
# not: exchanged
import copy

import torch

from common.graph_utils import sqnr
from common.pt2e import convert_pt2e, prepare_pt2e


def cost_of_no_fusion(gm, fused, per_op, batches, x):
    outputs = []
    for quantizer in (fused, per_op):
        net = prepare_pt2e(copy.deepcopy(gm), quantizer)
        with torch.no_grad():
            for (batch,) in batches:
                net(batch)
            outputs.append(convert_pt2e(net)(x))
    return sqnr(*outputs), sqnr(*outputs[::-1])
