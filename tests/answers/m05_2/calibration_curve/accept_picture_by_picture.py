# Shows the pictures one by one; reference computed once; a function for one size.
import copy

import torch

from common.graph_utils import sqnr
from common.pt2e import convert_pt2e, prepare_pt2e


def _one(gm, quantizer, shown, x, reference):
    prepared = prepare_pt2e(copy.deepcopy(gm), quantizer)
    for picture in shown:
        prepared(picture.unsqueeze(0))
    return sqnr(reference, convert_pt2e(prepared)(x))


@torch.no_grad()
def calibration_curve(gm, quantizer, pictures, sizes, x):
    reference = gm(x)
    return [_one(gm, quantizer, pictures[:n], x, reference) for n in sizes]
