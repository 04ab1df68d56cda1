# finds: by-index
from common.graph_utils import node_outputs, sqnr


def first_divergence(gm_a, gm_b, x, dB):
    for (name, value), other in zip(node_outputs(gm_a, x).items(), node_outputs(gm_b, x).values()):
        if sqnr(value, other) < dB:
            return name
