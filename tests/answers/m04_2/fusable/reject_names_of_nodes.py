# finds: by-name
import torch

aten = torch.ops.aten
RELUS = {aten.relu.default, aten.relu_.default}


def fusable(gm):
    groups = []
    for node in gm.graph.nodes:
        if not node.name.startswith("conv2d"):
            continue
        group = [node]
        for targets in ("batch_norm", "relu"):
            last = group[-1]
            if len(last.users) == 1 and next(iter(last.users)).name.rstrip("0123456789_") == targets:
                group.append(next(iter(last.users)))
        if len(group) > 1:
            groups.append(tuple(n.name for n in group))
    return groups
