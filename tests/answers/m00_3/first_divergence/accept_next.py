from common.graph_utils import node_outputs
from common.graph_utils import sqnr as sqnr_db


def first_divergence(gm_a, gm_b, x, dB):
    a, b = node_outputs(gm_a, x), node_outputs(gm_b, x)
    return next((k for k, v in a.items() if k in b and not sqnr_db(v, b[k]) >= dB), None)
