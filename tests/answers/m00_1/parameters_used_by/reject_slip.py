# finds: raised
# not: plain-values


def parameters_used_by(gm, node):
    return {n.targets for n in node.all_input_nodes if n.op == "get_attr"}
