# finds: activations
# not: follows-activations, node-names
def parameters_used_by(gm, node):
    return {str(n.target) if n.op == "get_attr" else n.name for n in node.all_input_nodes}
