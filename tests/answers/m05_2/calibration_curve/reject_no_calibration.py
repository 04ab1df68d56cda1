# finds: uncalibrated
import copy

import torch

from common.graph_utils import sqnr
from common.pt2e import convert_pt2e, prepare_pt2e


def calibration_curve(gm, quantizer, pictures, sizes, x):
    curve = []
    with torch.no_grad():
        for n in sizes:
            prepared = prepare_pt2e(copy.deepcopy(gm), quantizer)
            curve.append(sqnr(gm(x), convert_pt2e(prepared)(x)))
    return curve
