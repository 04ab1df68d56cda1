# finds: users
def graph_diff(before, after):
    old = {n.name: n for n in before.graph.nodes}
    new = {n.name: n for n in after.graph.nodes}
    both = [name for name in new if name in old]
    def users(node):
        return {u.name for u in node.users}

    rewired = {name for name in both if users(old[name]) != users(new[name])}
    return {"added": set(new) - set(old), "removed": set(old) - set(new), "rewired": rewired}
