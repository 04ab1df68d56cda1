# finds: worst
from common.graph_utils import node_outputs, sqnr


def first_divergence(gm_a, gm_b, x, dB):
    a, b = node_outputs(gm_a, x), node_outputs(gm_b, x)
    at = {n: sqnr(a[n], b[n]) for n in a if n in b}
    name = min(at, key=at.get)
    return name if at[name] < dB else None
