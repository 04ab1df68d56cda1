# Takes the worst layer out k times, and gives the bits by name.
import copy

from common.pt2e import convert_pt2e, prepare_pt2e
from common.sensitivity import OnlyLayers


def mixed(gm, db, bits, k, batches):
    left = dict(db)
    for _ in range(k):
        left.pop(min(left, key=left.get))
    mine = prepare_pt2e(copy.deepcopy(gm), OnlyLayers({name: bits for name in left}))
    for (x,) in batches:
        mine(x)
    return convert_pt2e(mine, fold_quantize=False)
