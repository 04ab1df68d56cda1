# finds: in-kwargs, inside-lists
import torch


def find_pairs(gm, first, second):
    out = []
    for r in gm.graph.nodes:
        if getattr(r.target, "overloadpacket", None) == second:
            for p in r.args:
                if (
                    isinstance(p, torch.fx.Node)
                    and getattr(p.target, "overloadpacket", None) == first
                    and len(p.users) == 1
                ):
                    out.append((p.name, r.name))
    return out
