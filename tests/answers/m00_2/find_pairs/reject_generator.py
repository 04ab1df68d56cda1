# finds: form
# not: raised


def find_pairs(gm, first, second):
    for n in gm.graph.nodes:
        if getattr(n.target, "overloadpacket", None) == first and len(n.users) == 1:
            u = next(iter(n.users))
            if getattr(u.target, "overloadpacket", None) == second:
                yield n.name, u.name
