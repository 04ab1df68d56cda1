# finds: without-relu
# not: without-norm
import torch

aten = torch.ops.aten
RELUS = {aten.relu.default, aten.relu_.default}


def fusable(gm):
    groups = []
    for node in gm.graph.nodes:
        if node.target != aten.conv2d.default:
            continue
        group = [node]
        for targets in ({aten.batch_norm.default}, RELUS):
            last = group[-1]
            if len(last.users) == 1 and next(iter(last.users)).target in targets:
                group.append(next(iter(last.users)))
        if group[-1].target in RELUS:
            groups.append(tuple(n.name for n in group))
    return groups
