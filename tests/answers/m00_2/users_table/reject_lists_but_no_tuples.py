# finds: output-left-out
# not: next-node
import torch


def users_table(gm):
    t = {n.name: [] for n in gm.graph.nodes}
    for n in gm.graph.nodes:
        for a in n.args:
            if isinstance(a, torch.fx.Node):
                t[a.name].append(n.name)
            elif isinstance(a, list):
                for b in a:
                    if isinstance(b, torch.fx.Node):
                        t[b.name].append(n.name)
    return {k: list(set(v)) for k, v in t.items()}
