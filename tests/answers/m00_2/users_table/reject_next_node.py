# finds: next-node
# not: last-reader


def users_table(gm):
    t = {}
    for n in gm.graph.nodes:
        t[n.name] = [n.next.name] if n.next.op != "root" else []
    return t
