def activation_path(gm, node):
    needed, todo = set(), [node]
    while todo:
        current = todo.pop()
        if current not in needed:
            needed.add(current)
            todo.extend(current.all_input_nodes)
    reached = set()
    for n in gm.graph.nodes:
        if n.op == "placeholder" or any(i in reached for i in n.all_input_nodes):
            reached.add(n)
    return [n.name for n in gm.graph.nodes if n in needed and n in reached and n.op == "call_function"]
