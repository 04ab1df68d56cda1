# finds: whole-batches
import copy

from common.graph_utils import sqnr
from common.pt2e import convert_pt2e, prepare_pt2e


def calibration_curve(gm, quantizer, pictures, sizes, x):
    out = []
    ref = gm(x)
    for n in sizes:
        p = prepare_pt2e(copy.deepcopy(gm), quantizer)
        for i in range(0, n, 8):
            p(pictures[i : i + 8])
        out.append(sqnr(ref, convert_pt2e(p)(x)))
    return out
