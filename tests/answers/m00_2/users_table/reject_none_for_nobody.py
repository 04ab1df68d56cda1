# finds: form


def users_table(gm):
    t = {n.name: None for n in gm.graph.nodes}
    for n in gm.graph.nodes:
        for i in n.all_input_nodes:
            t[i.name] = (t[i.name] or []) + [n.name]
    return t
