# Begins with all, and takes away; returns nodes.
import torch

aten = torch.ops.aten
FOLDS_INTO = {aten.conv2d.default, aten.conv2d.padding, aten.conv_transpose2d.input, aten.linear.default}


def safe_to_fold(gm):
    norms = [n for n in gm.graph.nodes if n.target == aten.batch_norm.default]
    norms = [n for n in norms if n.args[0].target in FOLDS_INTO and not n.args[5]]
    norms = [n for n in norms if set(n.args[0].users) == {n}]
    shared = {n for n in gm.graph.nodes if n.op == "get_attr" and len(n.users) > 1}
    return [n for n in norms if not shared & set(n.args[0].args[1:3])]
