# finds: form
def users_table(gm):
    nodes = list(gm.graph.nodes)
    return [[r.name for r in nodes if n in r.all_input_nodes] for n in nodes]
