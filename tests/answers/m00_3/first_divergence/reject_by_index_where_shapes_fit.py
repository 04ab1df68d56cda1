# finds: by-index
from common.graph_utils import node_outputs
from common.graph_utils import sqnr as sqnr_db


def first_divergence(gm_a, gm_b, x, dB):
    a, b = node_outputs(gm_a, x), node_outputs(gm_b, x)
    for (na, va), (_nb, vb) in zip(a.items(), b.items(), strict=False):
        if va.shape == vb.shape and sqnr_db(va, vb) < dB:
            return na
