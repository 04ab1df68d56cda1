# finds: nothing-inserted
def insert_after(gm, node, module, name):
    if node.op in ("placeholder", "get_attr"):
        return node
    gm.add_submodule(name, module)
    with gm.graph.inserting_after(node):
        new = gm.graph.call_module(name, (node,))
    node.replace_all_uses_with(new, delete_user_cb=lambda user: user is not new)
    return new
