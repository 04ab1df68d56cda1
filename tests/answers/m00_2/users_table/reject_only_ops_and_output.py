# finds: weights-left-out
def users_table(gm):
    nodes = [n for n in gm.graph.nodes if n.op in ("call_function", "output")]
    return {n.name: [r.name for r in nodes if n in r.all_input_nodes] for n in nodes}
