# finds: no-ops
# not: all-before
def activation_path(gm, node):
    seen, todo = set(), [node]
    while todo:
        current = todo.pop()
        if current not in seen:
            seen.add(current)
            todo += current.all_input_nodes
    return [n.name for n in gm.graph.nodes if n in seen]
