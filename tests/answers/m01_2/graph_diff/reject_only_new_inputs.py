# Rewired is only who reads a new node.
# finds: reads-new-only
def graph_diff(before, after):
    old = {n.name for n in before.graph.nodes}
    new = {n.name for n in after.graph.nodes}
    added = new - old
    return {
        "added": added,
        "removed": old - new,
        "rewired": {
            n.name for n in after.graph.nodes if n.name in old and any(i.name in added for i in n.all_input_nodes)
        },
    }
