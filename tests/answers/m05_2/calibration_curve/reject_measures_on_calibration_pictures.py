# finds: measured-on-calibration
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
            converted = convert_pt2e(prepared)
            curve.append(sqnr(gm(pictures[:n]), converted(pictures[:n])))
    return curve
