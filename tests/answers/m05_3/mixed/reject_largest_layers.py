# finds: by-size
import copy

import torch

from common.pt2e import convert_pt2e, prepare_pt2e
from common.sensitivity import OnlyLayers


def mixed(gm, db, bits, k, batches):
    weights = {n.name: gm.get_parameter(n.args[1].target).numel() for n in gm.graph.nodes if n.name in db}
    worst_first = sorted(weights, key=weights.get, reverse=True)
    prepared = prepare_pt2e(copy.deepcopy(gm), OnlyLayers(worst_first[k:], bits))
    with torch.no_grad():
        for batch in batches:
            prepared(*batch)
    return convert_pt2e(prepared)
