# Compares args and kwargs as they are printed: nodes by their names, but strides and numbers too.
# finds: arguments-too
def graph_diff(before, after):
    old, new = ({n.name: (str(n.args), str(n.kwargs)) for n in g.graph.nodes} for g in (before, after))
    result = {"added": [], "removed": [], "rewired": []}
    for name in new:
        if name not in old:
            result["added"].append(name)
        elif new[name] != old[name]:
            result["rewired"].append(name)
    result["removed"] += [name for name in old if name not in new]
    return result
