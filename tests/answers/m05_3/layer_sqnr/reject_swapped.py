# finds: swapped
# not: by-index
import copy

from common.graph_utils import node_outputs, sqnr


def layer_sqnr(gm_a, gm_b, x):
    a, b = node_outputs(gm_a, x), node_outputs(copy.deepcopy(gm_b), x)
    return {name: sqnr(b[name], a[name]) for name in a if name in b}
