# finds: layers-only
# not: learned, by-index
import copy

from common.graph_utils import node_outputs, sqnr
from common.sensitivity import layers_of


def layer_sqnr(gm_a, gm_b, x):
    a, b = node_outputs(gm_a, x), node_outputs(copy.deepcopy(gm_b), x)
    return {name: sqnr(a[name], b[name]) for name in layers_of(gm_a)}
