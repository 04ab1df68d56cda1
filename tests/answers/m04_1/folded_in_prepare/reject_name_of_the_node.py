# finds: by-name
# not: mode
import torch

aten = torch.ops.aten
FOLDS_INTO = {aten.conv2d.default, aten.conv2d.padding, aten.conv_transpose2d.input, aten.linear.default}


def folded_in_prepare(gm):
    return {
        n.name for n in gm.graph.nodes if "batch_norm" in n.name and getattr(n.args[0], "target", None) in FOLDS_INTO
    }
