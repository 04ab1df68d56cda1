# finds: form
def users_table(gm):
    nodes = list(gm.graph.nodes)
    return {n.name: sum(n in r.all_input_nodes for r in nodes) for n in nodes}
