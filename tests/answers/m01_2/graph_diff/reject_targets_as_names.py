# Takes what nodes call for their names.
# finds: targets
def graph_diff(before, after):
    def key(n):
        return str(n.target)

    old = {key(n): [key(i) for i in n.all_input_nodes] for n in before.graph.nodes}
    new = {key(n): [key(i) for i in n.all_input_nodes] for n in after.graph.nodes}
    return {
        "added": set(new) - set(old),
        "removed": set(old) - set(new),
        "rewired": {n for n in old if n in new and old[n] != new[n]},
    }
