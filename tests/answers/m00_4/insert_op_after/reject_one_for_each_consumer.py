# finds: one-for-each


def insert_op_after(gm, node, target, args):
    for u in list(node.users):
        with gm.graph.inserting_before(u):
            new = gm.graph.call_function(target, (node, *args))
        u.replace_input_with(node, new)
    gm.recompile()
    return new
