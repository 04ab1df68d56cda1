# Goes back from the last op; lists of nodes, in a tuple.
import torch

aten = torch.ops.aten


def fusable(gm):
    relus, taken, groups = (aten.relu.default, aten.relu_.default), set(), []
    for node in reversed(list(gm.graph.nodes)):
        if node in taken or node.target not in (*relus, aten.batch_norm.default):
            continue
        chain = [node]
        wanted = [aten.batch_norm.default, aten.conv2d.default] if node.target in relus else [aten.conv2d.default]
        for target in wanted:
            before = chain[0].args[0]
            if before.target == target and list(before.users) == [chain[0]]:
                chain.insert(0, before)
        if len(chain) > 1 and chain[0].target == aten.conv2d.default:
            groups.append(chain)
            taken.update(chain)
    return tuple(groups)
