# finds: at-the-layer
import copy

import torch

from common.graph_utils import node_outputs, sqnr
from common.pt2e import convert_pt2e, prepare_pt2e
from common.sensitivity import OnlyLayers


def sensitivity(gm, layers, bits, batches, x):
    found = {}
    with torch.no_grad():
        y = gm(x)
        for name in layers:
            prepared = prepare_pt2e(copy.deepcopy(gm), OnlyLayers([name], bits))
            for batch in batches:
                prepared(*batch)
            found[name] = sqnr(node_outputs(gm, x)[name], node_outputs(convert_pt2e(prepared), x)[name])
    return found
