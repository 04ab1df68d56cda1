# finds: packet-or-overload
# not: first-argument, counts-uses, inside-lists, second-reader
def find_pairs(gm, first, second):
    return [
        (n.name, u.name)
        for n in gm.graph.nodes
        for u in n.users
        if n.target == getattr(first, "default", None)
        and u.target == getattr(second, "default", None)
        and len(n.users) == 1
    ]
