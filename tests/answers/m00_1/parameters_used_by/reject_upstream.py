# finds: follows-activations
# not: activations, node-names
def parameters_used_by(gm, node):
    found, todo, seen = set(), [node], set()
    while todo:
        current = todo.pop()
        for n in current.all_input_nodes:
            if n.op == "get_attr":
                found.add(n.target)
            elif n not in seen:
                seen.add(n)
                todo.append(n)
    return found
