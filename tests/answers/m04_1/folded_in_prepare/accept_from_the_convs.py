# Begins at the convs; a list, in the order of the convs.
import torch

aten = torch.ops.aten
FOLDS_INTO = {aten.conv2d.default, aten.conv2d.padding, aten.conv_transpose2d.input, aten.linear.default}


def folded_in_prepare(gm):
    found = []
    for conv in gm.graph.nodes:
        if conv.target in FOLDS_INTO:
            found += [u.name for u in conv.users if u.target == aten.batch_norm.default]
    return found
