# finds: type
import copy

import torch

from common.graph_utils import sqnr
from common.pt2e import convert_pt2e, prepare_pt2e


def cost_of_no_fusion(gm, fused, per_op, batches, x):
    def quality(quantizer):
        prepared = prepare_pt2e(copy.deepcopy(gm), quantizer)
        with torch.no_grad():
            for (batch,) in batches:
                prepared(batch)
            converted = convert_pt2e(prepared)
            return sqnr(gm(x), converted(x))

    return {"fused": quality(fused), "per_op": quality(per_op)}
