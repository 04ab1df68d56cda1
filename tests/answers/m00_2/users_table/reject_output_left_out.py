# finds: output-left-out
# not: last-reader
def users_table(gm):
    nodes = list(gm.graph.nodes)
    return {n.name: [r.name for r in nodes if n in r.all_input_nodes and r.op != "output"] for n in nodes}
