# finds: plain-values


def parameters_used_by(gm, node):
    return {a.target for a in node.args if a.op == "get_attr"}
