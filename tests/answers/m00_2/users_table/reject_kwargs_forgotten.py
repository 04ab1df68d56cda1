# finds: in-kwargs
# not: inside-lists, next-node
import torch


def users_table(gm):
    t = {n.name: [] for n in gm.graph.nodes}
    for n in gm.graph.nodes:
        for a in n.args:
            for b in a if isinstance(a, (list, tuple)) else [a]:
                if isinstance(b, torch.fx.Node) and n.name not in t[b.name]:
                    t[b.name].append(n.name)
    return t
