# finds: reversed
# not: next-node


def find_pairs(gm, first, second):
    return [
        (u.name, n.name)
        for n in gm.graph.nodes
        if getattr(n.target, "overloadpacket", None) == first and len(n.users) == 1
        for u in n.users
        if getattr(u.target, "overloadpacket", None) == second
    ]
