# Looks back from the relu, and does not ask who else reads.
# finds: second-reader
import torch

aten = torch.ops.aten


def fusable(gm):
    groups = []
    for conv in gm.graph.nodes:
        if conv.target != aten.conv2d.default:
            continue
        group = [conv]
        for targets in ({aten.batch_norm.default}, {aten.relu.default, aten.relu_.default}):
            fitting = [u for u in group[-1].users if u.target in targets]
            group += fitting[:1]
        if len(group) > 1:
            groups.append(tuple(n.name for n in group))
    return groups
