# finds: last-reader
# not: inside-lists
def users_table(gm):
    table = {n.name: [] for n in gm.graph.nodes}
    for reader in gm.graph.nodes:
        for node in reader.all_input_nodes:
            table[node.name] = [reader.name]
    return table
