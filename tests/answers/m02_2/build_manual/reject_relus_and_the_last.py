# finds: missing-output
# A conv in the middle that has no relu is missed.
from common.graph_utils import short, splice


def build_manual(gm, make_act, make_weight):
    nodes = list(gm.graph.nodes)
    last = nodes[-1].all_input_nodes[0]
    for i, n in enumerate(nodes):
        if n.op == "placeholder" or short(n.target) == "relu" or n is last:
            splice(gm, n, make_act(), f"o{i}")
        if short(n.target) == "conv2d":
            splice(gm, n.args[1], make_weight(), f"w{i}")
    gm.recompile()
    return gm
