# finds: not-a-relu
import torch

aten = torch.ops.aten
RELUS = {aten.relu.default, aten.relu_.default}


def fusable(gm):
    groups = []
    for node in gm.graph.nodes:
        if node.target != aten.conv2d.default:
            continue
        group = [node]
        for word in ("batch_norm", "relu"):
            last = group[-1]
            if len(last.users) == 1 and word in str(next(iter(last.users)).target):
                group.append(next(iter(last.users)))
        if len(group) > 1:
            groups.append(tuple(n.name for n in group))
    return groups
