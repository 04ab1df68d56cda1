# finds: only-one-graph
# not: by-index
from common.graph_utils import node_outputs
from common.graph_utils import sqnr as sqnr_db


def first_divergence(gm_a, gm_b, x, dB):
    a, b = node_outputs(gm_a, x), node_outputs(gm_b, x)
    for k in a:
        if k not in b or sqnr_db(a[k], b[k]) < dB:
            return k
