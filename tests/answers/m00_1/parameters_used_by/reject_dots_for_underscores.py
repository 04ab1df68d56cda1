# finds: node-names
# not: some-missing
def parameters_used_by(gm, node):
    return {n.name.replace("_", ".") for n in node.all_input_nodes if n.op == "get_attr"}
