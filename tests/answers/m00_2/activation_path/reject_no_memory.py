# finds: twice
def activation_path(gm, node):
    if node.op != "call_function":
        return []
    path = []
    for i in node.all_input_nodes:
        path += activation_path(gm, i)
    return [*path, node.name]
