# finds: nodes
# not: form


def users_table(gm):
    t = {n.name: [] for n in gm.graph.nodes}
    for n in gm.graph.nodes:
        for i in n.all_input_nodes:
            t[i.name].append(n)
    return t
