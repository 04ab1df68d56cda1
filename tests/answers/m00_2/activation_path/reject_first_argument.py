# finds: first-branch
# not: inside-lists, downstream
def activation_path(gm, node):
    path = []
    while node.op == "call_function":
        path.append(node.name)
        node = node.args[0] if not isinstance(node.args[0], (list, tuple)) else node.args[0][0]
    return path[::-1]
