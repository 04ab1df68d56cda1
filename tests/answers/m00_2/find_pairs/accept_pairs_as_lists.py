def find_pairs(gm, first, second):
    return [
        [n.name, next(iter(n.users)).name]
        for n in gm.graph.nodes
        if getattr(n.target, "overloadpacket", None) == first
        and len(n.users) == 1
        and getattr(next(iter(n.users)).target, "overloadpacket", None) == second
    ]
