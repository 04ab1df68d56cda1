# finds: self-loop
def insert_after(gm, node, module, name):
    gm.add_submodule(name, module)
    with gm.graph.inserting_after(node):
        new = gm.graph.call_module(name, (node,))
    for user in list(node.users):
        user.replace_input_with(node, new)
    return new
