# Compares the two lists of nodes place by place.
# finds: counts
def graph_diff(before, after):
    out = {"added": set(), "removed": set(), "rewired": set()}
    names_b = [n.name for n in before.graph.nodes]
    for x, y in zip(before.graph.nodes, after.graph.nodes, strict=False):
        if y.name not in names_b:
            out["added"].add(y.name)
        elif x.name == y.name and [i.name for i in x.all_input_nodes] != [i.name for i in y.all_input_nodes]:
            out["rewired"].add(x.name)
    return out
