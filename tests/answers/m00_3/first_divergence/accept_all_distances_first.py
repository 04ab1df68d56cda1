from common.graph_utils import node_outputs
from common.graph_utils import sqnr as sqnr_db


def first_divergence(gm_a, gm_b, x, dB):
    a, b = node_outputs(gm_a, x), node_outputs(gm_b, x)
    common_names = [n.name for n in gm_a.graph.nodes if n.name in set(a) & set(b)]
    db = {n: sqnr_db(a[n], b[n]) for n in common_names}
    bad = [n for n in common_names if db[n] < dB]
    return None if not bad else bad[0]
