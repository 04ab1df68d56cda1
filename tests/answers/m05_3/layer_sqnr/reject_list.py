# finds: form
import copy

from common.graph_utils import node_outputs, sqnr


def layer_sqnr(gm_a, gm_b, x):
    a, b = node_outputs(gm_a, x), node_outputs(copy.deepcopy(gm_b), x)
    return [sqnr(a[name], b[name]) for name in a if name in b]
