# finds: by-object
def graph_diff(before, after):
    old, new = list(before.graph.nodes), list(after.graph.nodes)
    return {
        "added": {n.name for n in new if n not in old},
        "removed": {n.name for n in old if n not in new},
        "rewired": {n.name for n in new if n in old},
    }
