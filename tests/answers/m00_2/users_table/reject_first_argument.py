# finds: first-argument
# not: inside-lists
def users_table(gm):
    table = {n.name: [] for n in gm.graph.nodes}
    for reader in gm.graph.nodes:
        for node in reader.all_input_nodes[:1]:
            table[node.name].append(reader.name)
    return table
