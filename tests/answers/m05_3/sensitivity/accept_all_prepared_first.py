# All the graphs are prepared first; then one loop over the batches; the layers come in another order.
import copy

from common.graph_utils import compare
from common.pt2e import convert_pt2e, prepare_pt2e
from common.sensitivity import OnlyLayers


def sensitivity(gm, layers, bits, batches, x):
    graphs = {n: prepare_pt2e(copy.deepcopy(gm), OnlyLayers([n], weight_bits=bits)) for n in sorted(layers)}
    for (b,) in batches:
        for prepared in graphs.values():
            prepared(b)
    return {n: compare(gm, convert_pt2e(p), (x,))["sqnr_db"] for n, p in graphs.items()}
