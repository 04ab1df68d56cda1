def graph_diff(before, after):
    old = {n.name: [i.name for i in n.all_input_nodes] for n in before.graph.nodes}
    new = {n.name: [i.name for i in n.all_input_nodes] for n in after.graph.nodes}
    return {
        "added": new.keys() - old.keys(),
        "removed": old.keys() - new.keys(),
        "rewired": {name for name in old.keys() & new.keys() if old[name] != new[name]},
    }
