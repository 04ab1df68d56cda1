# finds: between-conv-and-relu
import torch

from common.graph_utils import short, splice


def build_manual(gm, make_act, make_weight):
    for i, node in enumerate(list(gm.graph.nodes)):
        if node.op == "placeholder":
            splice(gm, node, make_act(), f"obs_{i}")
        if short(node.target) == "conv2d":
            splice(gm, node.args[1], make_weight(), f"obs_w{i}")
            splice(gm, node, make_act(), f"obs_{i}")
        if short(node.target) == "relu":
            splice(gm, node, make_act(), f"obs_{i}")
    gm.recompile()
    return gm
