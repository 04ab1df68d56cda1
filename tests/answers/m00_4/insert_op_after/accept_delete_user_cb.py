def insert_op_after(gm, node, target, args=()):
    with gm.graph.inserting_after(node):
        new = gm.graph.call_function(target, args=(node,) + tuple(args))
    node.replace_all_uses_with(new, delete_user_cb=lambda user: user != new)
    gm.graph.lint()
    gm.recompile()
    return new
