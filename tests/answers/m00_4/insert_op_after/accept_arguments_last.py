def insert_op_after(gm, node, target, args):
    with gm.graph.inserting_after(node):
        new = gm.graph.call_function(target)
    node.replace_all_uses_with(new)
    new.args = (node, *args)
    gm.recompile()
    return new
