# finds: shortcut
def users_table(gm):
    return {n.name: [u.name for u in n.users] for n in gm.graph.nodes}
