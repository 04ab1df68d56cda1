# finds: weights-compared
# not: weight
from common.graph_utils import sqnr as sqnr_db


def first_divergence(gm_a, gm_b, x, dB):
    for (na, pa), (_nb, pb) in zip(gm_a.named_parameters(), gm_b.named_parameters(), strict=False):
        if sqnr_db(pa, pb) < dB:
            node = next(n for n in gm_a.graph.nodes if n.op == "get_attr" and n.target == na)
            return next(iter(node.users)).name
