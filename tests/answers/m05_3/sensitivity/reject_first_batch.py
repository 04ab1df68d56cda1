# finds: some-batches
# not: uncalibrated
import copy

import torch

from common.graph_utils import sqnr
from common.pt2e import convert_pt2e, prepare_pt2e
from common.sensitivity import OnlyLayers


def sensitivity(gm, layers, bits, batches, x):
    found = {}
    with torch.no_grad():
        y = gm(x)
        for name in layers:
            prepared = prepare_pt2e(copy.deepcopy(gm), OnlyLayers([name], bits))
            for batch in batches[:1]:
                prepared(*batch)
            found[name] = sqnr(y, convert_pt2e(prepared)(x))
    return found
