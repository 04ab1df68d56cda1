# finds: names-the-buffer
# not: by-name
import torch

aten = torch.ops.aten
FOLDS_INTO = {aten.conv2d.default, aten.conv2d.padding, aten.conv_transpose2d.input, aten.linear.default}


def train_export_leftover(gm):
    found = set()
    for n in gm.graph.nodes:
        if n.target == aten.add_.Tensor and n.args[0].op == "get_attr":
            found |= {n.name, n.args[0].name}
        if n.target in (aten.dropout.default, aten.feature_dropout.default) and n.args[2]:
            found.add(n.name)
        if n.target == aten.batch_norm.default and n.args[5]:
            found.add(n.name)
    return found
