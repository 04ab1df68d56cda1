# One prepared graph, made of the one of the caller.
# finds: reused-prepared, same-graph
import copy

import torch

from common.graph_utils import sqnr
from common.pt2e import convert_pt2e, prepare_pt2e


def calibration_curve(gm, quantizer, pictures, sizes, x):
    with torch.no_grad():
        reference = gm(x)
        prepared = prepare_pt2e(gm, quantizer)
        curve = []
        for n in sizes:
            prepared(pictures[:n])
            curve.append(sqnr(reference, convert_pt2e(copy.deepcopy(prepared))(x)))
    return curve
