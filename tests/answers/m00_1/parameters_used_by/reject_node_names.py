# finds: node-names
# not: activations
def parameters_used_by(gm, node):
    return {n.name for n in node.all_input_nodes if n.op == "get_attr"}
