# finds: new-nodes-too
def graph_diff(before, after):
    old = {n.name: n for n in before.graph.nodes}
    new = {n.name: n for n in after.graph.nodes}
    both = [name for name in new if name in old]
    def inputs(nodes, name):
        return [i.name for i in nodes[name].all_input_nodes] if name in nodes else None

    rewired = {name for name in new if inputs(old, name) != inputs(new, name)}
    return {"added": set(new) - set(old), "removed": set(old) - set(new), "rewired": rewired}
