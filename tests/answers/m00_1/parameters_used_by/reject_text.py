# finds: form
def parameters_used_by(gm, node):
    return ", ".join(str(n.target) for n in node.all_input_nodes if n.op == "get_attr")
