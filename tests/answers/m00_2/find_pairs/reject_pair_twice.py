# finds: counts-uses
# not: second-reader
import torch


def find_pairs(gm, first, second):
    out = []
    for r in gm.graph.nodes:
        if getattr(r.target, "overloadpacket", None) == second:
            flat = []
            for a in list(r.args) + list(r.kwargs.values()):
                flat += a if isinstance(a, (list, tuple)) else [a]
            for p in flat:
                if (
                    isinstance(p, torch.fx.Node)
                    and getattr(p.target, "overloadpacket", None) == first
                    and len(p.users) == 1
                ):
                    out.append((p.name, r.name))
    return out
