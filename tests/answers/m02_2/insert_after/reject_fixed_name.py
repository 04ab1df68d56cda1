# finds: wrong-name
def insert_after(gm, node, module, name):
    gm.add_submodule("obs", module)
    with gm.graph.inserting_after(node):
        new = gm.graph.call_module("obs", (node,))
    node.replace_all_uses_with(new, delete_user_cb=lambda user: user is not new)
    return new
