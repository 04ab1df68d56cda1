# finds: text-search
# not: last-reader


def users_table(gm):
    t = {}
    for n in gm.graph.nodes:
        t[n.name] = [m.name for m in gm.graph.nodes if n.name in str(m.args)]
    return t
