# finds: form
def graph_diff(before, after):
    old, new = set(before.graph.nodes), set(after.graph.nodes)
    return {"added": new - old, "removed": old - new, "rewired": old & new}
