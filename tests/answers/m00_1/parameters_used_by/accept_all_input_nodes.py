def parameters_used_by(gm, node):
    return {n.target for n in node.all_input_nodes if n.op == "get_attr"}
