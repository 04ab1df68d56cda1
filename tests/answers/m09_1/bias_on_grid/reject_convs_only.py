# finds: unchanged
import copy
from operator import attrgetter

import torch

from common.graph_utils import short


def bias_on_grid(qdq):
    gm = copy.deepcopy(qdq)
    for node in gm.graph.nodes:
        if short(node.target) == "conv2d" and len(node.args) > 2 and node.args[2] is not None:
            scale = node.args[1].args[1]
            scale = attrgetter(scale.target)(gm) if isinstance(scale, torch.fx.Node) else scale
            bias, grid = attrgetter(node.args[2].target)(gm), node.args[0].args[1] * scale
            with torch.no_grad():
                bias.copy_((bias / grid).round() * grid)
    return gm
