# finds: through-relu
# not: all-norms
import torch

aten = torch.ops.aten
FOLDS_INTO = {aten.conv2d.default, aten.conv2d.padding, aten.conv_transpose2d.input, aten.linear.default}


def folded_in_prepare(gm):
    found = set()
    for n in gm.graph.nodes:
        if n.target == aten.batch_norm.default:
            before = n.args[0]
            if before.target == aten.relu.default:
                before = before.args[0]
            if before.target in FOLDS_INTO:
                found.add(n.name)
    return found
