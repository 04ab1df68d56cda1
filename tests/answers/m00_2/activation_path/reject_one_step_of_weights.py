# finds: follows-weights
# not: all-before


def activation_path(gm, node):
    seen = {node}
    todo = [node]
    while todo:
        n = todo.pop()
        for i in n.all_input_nodes:
            if i.op == "call_function" and i not in seen and not all(j.op == "get_attr" for j in i.all_input_nodes):
                seen.add(i)
                todo.append(i)
    return [n.name for n in gm.graph.nodes if n in seen]
