# Collects what a node reads with map_arg.


from torch.fx.node import map_arg


def graph_diff(before, after):
    def reads(n):
        found = []
        map_arg((n.args, n.kwargs), lambda a: found.append(a.name))
        return found

    b = {n.name: n for n in before.graph.nodes}
    a = {n.name: n for n in after.graph.nodes}
    res = {"added": set(), "removed": set(), "rewired": set()}
    for name in a:
        if name not in b:
            res["added"].add(name)
        elif reads(a[name]) != reads(b[name]):
            res["rewired"].add(name)
    for name in b:
        if name not in a:
            res["removed"].add(name)
    return res
