# finds: weights-left-out
# not: unread-left-out
def users_table(gm):
    table = {n.name: [] for n in gm.graph.nodes if n.op != "get_attr"}
    for reader in gm.graph.nodes:
        for node in reader.all_input_nodes:
            if node.op != "get_attr":
                table[node.name].append(reader.name)
    return table
