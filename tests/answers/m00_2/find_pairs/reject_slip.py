# finds: raised
# not: no-packet


def find_pairs(gm, first, second):
    return [
        (n.nam, r.name) for n in gm.graph.nodes if getattr(n.target, "overloadpacket", None) == first for r in n.users
    ]
