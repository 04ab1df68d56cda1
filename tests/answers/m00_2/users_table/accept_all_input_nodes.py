def users_table(gm):
    table = {node.name: [] for node in gm.graph.nodes}
    for reader in gm.graph.nodes:
        for node in reader.all_input_nodes:
            table[node.name].append(reader.name)
    return table
