# finds: no-packet
# not: raised


def find_pairs(gm, first, second):
    return [
        (n.name, u.name)
        for n in gm.graph.nodes
        if n.op == "call_function" and n.target.overloadpacket == first and len(n.users) == 1
        for u in n.users
        if u.target.overloadpacket == second
    ]
