# finds: order
# not: twice
def activation_path(gm, node):
    path, todo = [], [node]
    while todo:
        current = todo.pop(0)
        if current.op == "call_function" and current.name not in path:
            path.append(current.name)
            todo += current.all_input_nodes
    return path
