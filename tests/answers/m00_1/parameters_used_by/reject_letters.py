# finds: letters
# not: activations


def parameters_used_by(gm, node):
    out = set()
    for n in node.all_input_nodes:
        if n.op == "get_attr":
            out.update(n.target)
    return out
