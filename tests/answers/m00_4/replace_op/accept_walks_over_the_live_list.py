# Walks over the list while it changes: an erased node still knows the next one.
def replace_op(gm, old, new):
    for node in gm.graph.nodes:
        if node.op == "call_function" and node.target == old:
            with gm.graph.inserting_after(node):
                fresh = gm.graph.create_node("call_function", new, node.args, node.kwargs)
            node.replace_all_uses_with(fresh)
            gm.graph.erase_node(node)
    gm.graph.lint()
    gm.recompile()
    return gm
