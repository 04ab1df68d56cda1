# finds: no-input, no-weight
import torch

from common.graph_utils import short, splice


def build_manual(gm, make_act, make_weight):
    for i, node in enumerate(list(gm.graph.nodes)):
        if short(node.target) == "conv2d":
            user = next(iter(node.users))
            splice(gm, user if short(user.target) == "relu" else node, make_act(), f"obs_{i}")
    gm.recompile()
    return gm
