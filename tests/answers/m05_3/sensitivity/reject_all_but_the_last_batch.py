# finds: some-batches
import copy

import torch

from common.graph_utils import sqnr as sqnr_db
from common.pt2e import convert_pt2e, prepare_pt2e
from common.sensitivity import OnlyLayers


def sensitivity(gm, layers, bits, batches, x):
    found = {}
    with torch.no_grad():
        ref = gm(x)
        for name in layers:
            p = prepare_pt2e(copy.deepcopy(gm), OnlyLayers([name], bits))
            for batch in batches[:-1]:
                p(*batch)
            q = convert_pt2e(p)
            found[name] = sqnr_db(ref, q(x))
    return found
