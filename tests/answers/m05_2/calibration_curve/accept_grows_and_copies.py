# One prepared graph that grows, in the order of the sizes, with a copy converted at each size.
import copy

import torch

from common.graph_utils import sqnr
from common.pt2e import convert_pt2e, prepare_pt2e


def calibration_curve(gm, quantizer, pictures, sizes, x):
    prepared, shown, quality = prepare_pt2e(copy.deepcopy(gm), quantizer), 0, {}
    with torch.no_grad():
        for n in sorted(sizes):
            if n > shown:
                prepared(pictures[shown:n])
                shown = n
            quality[n] = sqnr(gm(x), convert_pt2e(copy.deepcopy(prepared))(x))
    return [quality[n] for n in sizes]
