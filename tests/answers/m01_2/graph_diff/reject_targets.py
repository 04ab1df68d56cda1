# finds: counts
def graph_diff(before, after):
    old = {n.name: n for n in before.graph.nodes}
    new = {n.name: n for n in after.graph.nodes}
    both = [name for name in new if name in old]
    rewired = {name for name in both if str(old[name].target) != str(new[name].target)}
    return {"added": set(new) - set(old), "removed": set(old) - set(new), "rewired": rewired}
