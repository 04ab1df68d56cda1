# finds: inside-lists
def graph_diff(before, after):
    old = {n.name: n for n in before.graph.nodes}
    new = {n.name: n for n in after.graph.nodes}
    both = [name for name in new if name in old]
    def direct(node):
        return [a.name for a in node.args if hasattr(a, "name")]

    rewired = {name for name in both if direct(old[name]) != direct(new[name])}
    return {"added": set(new) - set(old), "removed": set(old) - set(new), "rewired": rewired}
