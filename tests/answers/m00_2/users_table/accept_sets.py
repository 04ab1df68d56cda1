def users_table(gm):
    users = {n.name: set() for n in gm.graph.nodes}
    for n in gm.graph.nodes:
        for i in n.all_input_nodes:
            users[i.name].add(n.name)
    return users
