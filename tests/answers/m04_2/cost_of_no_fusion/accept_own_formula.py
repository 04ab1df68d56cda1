# The float output first, SQNR by hand in float32.
import copy

import torch

from common.pt2e import convert_pt2e, prepare_pt2e


@torch.no_grad()
def cost_of_no_fusion(gm, fused, per_op, batches, x):
    wanted, results = copy.deepcopy(gm)(x), []
    for quantizer in (fused, per_op):
        net = prepare_pt2e(copy.deepcopy(gm), quantizer)
        for (batch,) in batches:
            net(batch)
        error = wanted - convert_pt2e(net)(x)
        results.append((10 * torch.log10(wanted.square().sum() / error.square().sum())).item())
    return tuple(results)
