import torch
import torch.utils._pytree as pytree


def users_table(gm):
    t = {n.name: [] for n in gm.graph.nodes}
    for n in gm.graph.nodes:
        for a in dict.fromkeys(x for x in pytree.tree_leaves((n.args, n.kwargs)) if isinstance(x, torch.fx.Node)):
            t[a.name].append(n.name)
    return t
