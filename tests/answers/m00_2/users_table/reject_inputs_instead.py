# finds: inputs-instead
# not: weights-left-out
def users_table(gm):
    return {n.name: [i.name for i in n.all_input_nodes] for n in gm.graph.nodes}
