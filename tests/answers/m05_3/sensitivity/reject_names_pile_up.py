# A list that grows: the layers of earlier rounds are in it.
# finds: neighbours
import copy

import torch

from common.graph_utils import sqnr
from common.pt2e import convert_pt2e, prepare_pt2e
from common.sensitivity import OnlyLayers


def sensitivity(gm, layers, bits, batches, x):
    found, names = {}, []
    with torch.no_grad():
        y = gm(x)
        for name in layers:
            names.append(name)
            prepared = prepare_pt2e(copy.deepcopy(gm), OnlyLayers(names, bits))
            for batch in batches:
                prepared(*batch)
            found[name] = sqnr(y, convert_pt2e(prepared)(x))
    return found
