# finds: only-one-graph
# not: by-index
from common.graph_utils import node_outputs, sqnr


def first_divergence(gm_a, gm_b, x, dB):
    a, b = node_outputs(gm_a, x), node_outputs(gm_b, x)
    return next(n for n in b if sqnr(a[n], b[n]) < dB)
