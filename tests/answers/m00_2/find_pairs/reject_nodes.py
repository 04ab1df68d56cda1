# finds: nodes
# not: form


def find_pairs(gm, first, second):
    return [
        (n, u)
        for n in gm.graph.nodes
        if getattr(n.target, "overloadpacket", None) == first and len(n.users) == 1
        for u in n.users
        if getattr(u.target, "overloadpacket", None) == second
    ]
