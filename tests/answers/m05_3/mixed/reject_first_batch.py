# finds: some-batches
import copy

import torch

from common.pt2e import convert_pt2e, prepare_pt2e
from common.sensitivity import OnlyLayers


def mixed(gm, db, bits, k, batches):
    worst_first = sorted(db, key=db.get)
    prepared = prepare_pt2e(copy.deepcopy(gm), OnlyLayers(worst_first[k:], bits))
    with torch.no_grad():
        for batch in batches[:1]:
            prepared(*batch)
    return convert_pt2e(prepared)
