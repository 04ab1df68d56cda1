# From the back of the graph to its front, weights first.
import torch

from common.graph_utils import short, splice


def build_manual(gm, make_act, make_weight):
    convs = [n for n in reversed(gm.graph.nodes) if short(n.target) == "conv2d"]
    for i, conv in enumerate(convs):
        splice(gm, conv.all_input_nodes[1], make_weight(), f"w{i}")
    for i, conv in enumerate(convs):
        (user,) = conv.users
        splice(gm, user if short(user.target) == "relu" else conv, make_act(), f"a{i}")
    x = next(n for n in gm.graph.nodes if n.op == "placeholder")
    splice(gm, x, make_act(), "input_observer")
    gm.recompile()
    return gm
