# finds: wrong-place
# The new node reads what the old node reads: the old node is left out of the graph.
def insert_after(gm, node, module, name):
    gm.add_submodule(name, module)
    with gm.graph.inserting_after(node):
        new = gm.graph.call_module(name, tuple(node.args))
    node.replace_all_uses_with(new)
    return new
