# finds: some-batches
import copy

import torch

from common.pt2e import convert_pt2e, prepare_pt2e
from common.sensitivity import OnlyLayers


def mixed(gm, db, bits, k, batches):
    names = sorted(db, key=db.get)[k:]
    p = prepare_pt2e(copy.deepcopy(gm), OnlyLayers(names, bits))
    with torch.no_grad():
        for batch in batches[1:]:
            p(*batch)
    return convert_pt2e(p)
