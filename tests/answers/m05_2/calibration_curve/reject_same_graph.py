# No copy: the caller loses the float graph.
# finds: same-graph
import copy

import torch

from common.graph_utils import sqnr
from common.pt2e import convert_pt2e, prepare_pt2e


def calibration_curve(gm, quantizer, pictures, sizes, x):
    curve = []
    with torch.no_grad():
        reference = gm(x)
        for n in sizes:
            prepared = prepare_pt2e(gm, quantizer)
            prepared(pictures[:n])
            curve.append(sqnr(reference, convert_pt2e(prepared)(x)))
    return curve
