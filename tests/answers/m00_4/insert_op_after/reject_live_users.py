# finds: live-users
# not: raised


def insert_op_after(gm, node, target, args):
    with gm.graph.inserting_after(node):
        new = gm.graph.call_function(target, (node, *args))
    for u in node.users:
        if u is not new:
            u.replace_input_with(node, new)
    gm.recompile()
    return new
