# Asks the module, and returns a dictionary's keys.
# finds: mode
import torch

aten = torch.ops.aten
FOLDS_INTO = {aten.conv2d.default, aten.conv2d.padding, aten.conv_transpose2d.input, aten.linear.default}


def folded_in_prepare(gm):
    if any(n.target == aten.add_.Tensor for n in gm.graph.nodes):
        return set()
    return {
        n.name: 1 for n in gm.graph.nodes if n.target == aten.batch_norm.default and n.args[0].target in FOLDS_INTO
    }.keys()
