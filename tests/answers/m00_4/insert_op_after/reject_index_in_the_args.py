# finds: inside-lists
# not: raised


def insert_op_after(gm, node, target, args):
    users = list(node.users)
    with gm.graph.inserting_after(node):
        new = gm.graph.call_function(target, (node, *args))
    for u in users:
        u.update_arg(list(u.args).index(node), new)
    gm.recompile()
    return new
