# Walks on until a relu comes.
# finds: not-adjacent
import torch

aten = torch.ops.aten
RELUS = {aten.relu.default, aten.relu_.default}


def fusable(gm):
    groups = []
    for node in gm.graph.nodes:
        if node.target != aten.conv2d.default:
            continue
        group, last = [node], node
        while len(last.users) == 1:
            last = next(iter(last.users))
            if last.target in RELUS or last.target == aten.batch_norm.default:
                group.append(last)
            if last.target in RELUS or last.target == aten.conv2d.default or last.op == "output":
                break
        if len(group) > 1:
            groups.append(tuple(n.name for n in group))
    return groups
