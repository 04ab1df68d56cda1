# finds: outputs
import copy

from common.graph_utils import sqnr


def layer_sqnr(gm_a, gm_b, x):
    return sqnr(gm_a(x), copy.deepcopy(gm_b)(x))
