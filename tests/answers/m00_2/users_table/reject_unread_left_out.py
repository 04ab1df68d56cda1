# finds: unread-left-out
# not: weights-left-out, output-left-out
def users_table(gm):
    table = {}
    for reader in gm.graph.nodes:
        for node in reader.all_input_nodes:
            table.setdefault(node.name, []).append(reader.name)
    return table
