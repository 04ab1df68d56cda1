import copy

import torch

from common.graph_utils import short


def bias_on_grid(qdq):
    """Write the rounding into the graph: bias → div → round → mul."""
    gm = copy.deepcopy(qdq)
    aten = torch.ops.aten
    for node in list(gm.graph.nodes):
        if short(node.target) not in ("conv2d", "linear") or len(node.args) < 3 or node.args[2] is None:
            continue
        data, weight, bias = node.args[:3]
        per_channel = isinstance(weight.args[1], torch.fx.Node)
        with gm.graph.inserting_before(node):
            op = aten.mul.Tensor if per_channel else None
            grid = gm.graph.call_function(op, (weight.args[1], data.args[1])) if op else weight.args[1] * data.args[1]
            units = gm.graph.call_function(aten.div.Tensor, (bias, grid))
            whole = gm.graph.call_function(aten.round.default, (units,))
            back = gm.graph.call_function(aten.mul.Tensor, (whole, grid))
        node.args = (data, weight, back, *node.args[3:])
    gm.recompile()
    return gm
