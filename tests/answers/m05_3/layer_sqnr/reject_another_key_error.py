# A KeyError that has nothing to do with the graphs.
# finds: raised
# not: only-one-graph
from common.graph_utils import node_outputs


def layer_sqnr(gm_a, gm_b, x):
    a = node_outputs(gm_a, x)
    return {name: {}["nothing"] for name in a}
