import copy

from common.graph_utils import sqnr as sqnr_db
from common.pt2e import convert_pt2e, prepare_pt2e
from common.sensitivity import OnlyLayers


def sensitivity(gm, layers, bits, batches, x):
    folded = prepare_pt2e(copy.deepcopy(gm), OnlyLayers([]))
    ref = folded(x)
    out = {}
    for name in layers:
        p = prepare_pt2e(copy.deepcopy(folded), OnlyLayers({name: bits}))
        for batch in batches:
            p(*batch)
        out[name] = sqnr_db(ref, convert_pt2e(p)(x))
    return out
