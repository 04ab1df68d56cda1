# finds: last-good
from common.graph_utils import node_outputs, sqnr


def first_divergence(gm_a, gm_b, x, dB):
    a, b = node_outputs(gm_a, x), node_outputs(gm_b, x)
    good = None
    for name in a:
        if name in b:
            if sqnr(a[name], b[name]) < dB:
                return good
            good = name
    return None
