# Looks at the weight, and not at the bias.
# finds: shared-weight
import torch

aten = torch.ops.aten
FOLDS_INTO = {aten.conv2d.default, aten.conv2d.padding, aten.conv_transpose2d.input, aten.linear.default}


def safe_to_fold(gm):
    safe = set()
    for n in gm.graph.nodes:
        if n.target != aten.batch_norm.default:
            continue
        conv = n.args[0]
        if conv.target not in FOLDS_INTO:
            continue
        if len(conv.users) > 1:
            continue
        if any(len(a.users) > 1 for a in conv.args[1:2] if isinstance(a, torch.fx.Node)):
            continue
        if n.args[5]:
            continue
        safe.add(n.name)
    return safe
