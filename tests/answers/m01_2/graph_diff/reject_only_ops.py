# finds: only-ops
def graph_diff(before, after):
    def calls(gm):
        return {n.name: [i.name for i in n.all_input_nodes] for n in gm.graph.nodes if n.op == "call_function"}

    old, new = calls(before), calls(after)
    both = set(old) & set(new)
    return {
        "added": set(new) - both,
        "removed": set(old) - both,
        "rewired": {name for name in both if old[name] != new[name]},
    }
