# finds: after-consumers
def insert_after(gm, node, module, name):
    gm.add_submodule(name, module)
    with gm.graph.inserting_before(next(n for n in gm.graph.nodes if n.op == "output")):
        new = gm.graph.call_module(name, (node,))
    for user in [u for u in node.users if u is not new]:
        user.replace_input_with(node, new)
    return new
