# finds: wrong-input
def insert_op_after(gm, node, target, args):
    with gm.graph.inserting_after(node):
        new = gm.graph.call_function(target, (*node.all_input_nodes[:1], *args))
    node.replace_all_uses_with(new)
    gm.recompile()
    return new
