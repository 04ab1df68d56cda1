# finds: args-overwritten, only-first-user
# not: raised


def insert_op_after(gm, node, target, args):
    users = list(node.users)
    with gm.graph.inserting_after(node):
        new = gm.graph.call_function(target, (node, *args))
    for u in users:
        u.args = (new, *u.args[1:])
    gm.recompile()
    return new
