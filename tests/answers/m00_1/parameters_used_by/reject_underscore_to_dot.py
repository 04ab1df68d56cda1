# finds: node-names
def parameters_used_by(gm, node):
    names = {n.name for n in node.all_input_nodes if n.op == "get_attr"}
    return {name.replace("__", ".") for name in names}
