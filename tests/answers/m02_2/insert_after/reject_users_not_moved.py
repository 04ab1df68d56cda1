# finds: users-not-moved
def insert_after(gm, node, module, name):
    gm.add_submodule(name, module)
    with gm.graph.inserting_after(node):
        return gm.graph.call_module(name, (node,))
