# finds: only-first-user
def insert_after(gm, node, module, name):
    gm.add_submodule(name, module)
    consumer = next(iter(node.users))
    with gm.graph.inserting_after(node):
        new = gm.graph.call_module(name, (node,))
    consumer.replace_input_with(node, new)
    return new
