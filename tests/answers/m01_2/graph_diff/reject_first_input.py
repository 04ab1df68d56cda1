# finds: first-input-only
def graph_diff(before, after):
    old = {n.name: n for n in before.graph.nodes}
    new = {n.name: n for n in after.graph.nodes}
    both = [name for name in new if name in old]
    def first(node):
        return [i.name for i in node.all_input_nodes[:1]]

    rewired = {name for name in both if first(old[name]) != first(new[name])}
    return {"added": set(new) - set(old), "removed": set(old) - set(new), "rewired": rewired}
