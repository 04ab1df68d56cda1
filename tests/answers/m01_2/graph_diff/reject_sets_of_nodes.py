# Sets of nodes instead of names.
# finds: form
def graph_diff(before, after):
    old = {n.name: n for n in before.graph.nodes}
    new = {n.name: n for n in after.graph.nodes}
    return {
        "added": {new[n] for n in set(new) - set(old)},
        "removed": {old[n] for n in set(old) - set(new)},
        "rewired": {
            new[n]
            for n in old
            if n in new and [i.name for i in old[n].all_input_nodes] != [i.name for i in new[n].all_input_nodes]
        },
    }
