# finds: raised
# not: inside-lists


def activation_path(gm, node):
    return [n.name for n in node.all_inputs_nodes]
