# Right numbers, but the second run uses the given graph up.
# finds: graph-changed
import copy

import torch

from common.graph_utils import sqnr
from common.pt2e import convert_pt2e, prepare_pt2e


def cost_of_no_fusion(gm, fused, per_op, batches, x):
    def quality(quantizer):
        reference = copy.deepcopy(gm)
        prepared = prepare_pt2e(copy.deepcopy(gm) if quantizer is fused else gm, quantizer)
        with torch.no_grad():
            for (batch,) in batches:
                prepared(batch)
            converted = convert_pt2e(prepared)
            return sqnr(reference(x), converted(x))

    return quality(fused), quality(per_op)
