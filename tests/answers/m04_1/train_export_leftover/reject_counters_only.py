# finds: dropout-missed, norm-missed
# not: counter-missed
import torch

aten = torch.ops.aten
FOLDS_INTO = {aten.conv2d.default, aten.conv2d.padding, aten.conv_transpose2d.input, aten.linear.default}


def train_export_leftover(gm):
    return {n.name for n in gm.graph.nodes if n.target == aten.add_.Tensor and n.args[0].op == "get_attr"}
