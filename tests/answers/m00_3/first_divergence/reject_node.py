# finds: type
from common.graph_utils import node_outputs, sqnr


def first_divergence(gm_a, gm_b, x, dB):
    a, b = node_outputs(gm_a, x), node_outputs(gm_b, x)
    for node in gm_a.graph.nodes:
        if node.name in a and node.name in b and sqnr(a[node.name], b[node.name]) < dB:
            return node
    return None
