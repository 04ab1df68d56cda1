# finds: returns-nothing
import torch

from common.graph_utils import short, splice


def build_manual(gm, make_act, make_weight):
    for i, node in enumerate(list(gm.graph.nodes)):
        if node.op == "placeholder":
            splice(gm, node, make_act(), f"obs_{i}")
    gm.recompile()
