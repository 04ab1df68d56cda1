# finds: returns-nothing


def parameters_used_by(gm, node):
    s = {n.target for n in node.all_input_nodes if n.op == "get_attr"}
    return s or None
