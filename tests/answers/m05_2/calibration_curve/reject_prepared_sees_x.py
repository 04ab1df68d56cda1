# Takes the reference from the prepared graph: it computes the same, but learns.
# finds: learns-while-measuring
# not: reused-prepared
import copy

import torch

from common.graph_utils import sqnr
from common.pt2e import convert_pt2e, prepare_pt2e


def calibration_curve(gm, quantizer, pictures, sizes, x):
    curve = []
    with torch.no_grad():
        for n in sizes:
            prepared = prepare_pt2e(copy.deepcopy(gm), quantizer)
            prepared(pictures[:n])
            reference = prepared(x)
            curve.append(sqnr(reference, convert_pt2e(prepared)(x)))
    return curve
