import copy
import heapq

from common.pt2e import convert_pt2e, prepare_pt2e
from common.sensitivity import OnlyLayers, layers_of


def mixed(gm, db, bits, k, batches):
    keep = set(heapq.nsmallest(k, db, key=lambda n: db[n]))
    todo = {n: bits for n in layers_of(gm) if n not in keep}
    net = prepare_pt2e(copy.deepcopy(gm), OnlyLayers(todo))
    for b in batches:
        net(*b)
    return convert_pt2e(net)
