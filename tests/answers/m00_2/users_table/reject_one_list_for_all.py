# finds: one-list
# not: text-search
def users_table(gm):
    nobody = []
    table = {n.name: nobody for n in gm.graph.nodes}
    for node in gm.graph.nodes:
        for i in node.all_input_nodes:
            table[i.name].append(node.name)
    return table
