# finds: node-names, text-search
# not: one-pair


def find_pairs(gm, first, second):
    f, s = first.__name__, second.__name__
    return [
        (n.name, u.name) for n in gm.graph.nodes if f in n.name and len(n.users) == 1 for u in n.users if s in u.name
    ]
