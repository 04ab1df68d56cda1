# finds: list-neighbour
# not: not-adjacent
import torch

aten = torch.ops.aten


def fusable(gm):
    ops = [n for n in gm.graph.nodes if n.op == "call_function"]
    relus = (aten.relu.default, aten.relu_.default)
    groups = []
    for i, node in enumerate(ops):
        if node.target != aten.conv2d.default:
            continue
        group, rest = [node.name], ops[i + 1 :]
        if rest and rest[0].target == aten.batch_norm.default:
            group.append(rest.pop(0).name)
        if rest and rest[0].target in relus:
            group.append(rest[0].name)
        if len(group) > 1:
            groups.append(tuple(group))
    return groups
