# finds: by-index
from common.graph_utils import node_outputs
from common.graph_utils import sqnr as sqnr_db


def first_divergence(gm_a, gm_b, x, dB):
    a, b = node_outputs(gm_a, x), node_outputs(gm_b, x)
    for name in a:
        if name not in b:
            break
        if sqnr_db(a[name], b[name]) < dB:
            return name
    return None
