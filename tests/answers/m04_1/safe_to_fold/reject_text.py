# finds: type
import torch

aten = torch.ops.aten
FOLDS_INTO = {aten.conv2d.default, aten.conv2d.padding, aten.conv_transpose2d.input, aten.linear.default}


def safe_to_fold(gm):
    return next((n.name for n in gm.graph.nodes if n.target == aten.batch_norm.default), "none")
