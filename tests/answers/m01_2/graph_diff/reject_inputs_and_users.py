# Compares inputs and users.
# finds: users
def graph_diff(before, after):
    old = {n.name: ([i.name for i in n.all_input_nodes], [u.name for u in n.users]) for n in before.graph.nodes}
    new = {n.name: ([i.name for i in n.all_input_nodes], [u.name for u in n.users]) for n in after.graph.nodes}
    return {
        "added": set(new) - set(old),
        "removed": set(old) - set(new),
        "rewired": {n for n in old if n in new and old[n] != new[n]},
    }
