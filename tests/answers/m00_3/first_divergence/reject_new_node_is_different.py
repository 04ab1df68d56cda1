# finds: only-one-graph
from common.graph_utils import node_outputs, sqnr


def first_divergence(gm_a, gm_b, x, dB):
    a, b = node_outputs(gm_a, x), node_outputs(gm_b, x)
    for name in b:
        if name not in a or sqnr(a[name], b[name]) < dB:
            return name
    return None
