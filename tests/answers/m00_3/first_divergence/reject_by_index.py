# finds: by-index
from common.graph_utils import node_outputs, sqnr


def first_divergence(gm_a, gm_b, x, dB):
    a, b = node_outputs(gm_a, x), node_outputs(gm_b, x)
    for (name, value), other in zip(a.items(), b.values()):
        if value.shape != other.shape or sqnr(value, other) < dB:
            return name
    return None
