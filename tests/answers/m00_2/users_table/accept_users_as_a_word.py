def users_table(gm):
    info = {"users": {}}
    for n in gm.graph.nodes:
        info["users"].setdefault(n.name, [])
        for i in n.all_input_nodes:
            info["users"].setdefault(i.name, []).append(n.name)
    return info["users"]
