# finds: raised
# not: plain-values


def users_table(gm):
    return {n.name: [m.nam for m in gm.graph.nodes if n in m.all_input_nodes] for n in gm.graph.nodes}
