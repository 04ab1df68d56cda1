# finds: inside-lists, users-not-moved
# not: args-overwritten


def insert_op_after(gm, node, target, args):
    users = list(node.users)
    with gm.graph.inserting_after(node):
        new = gm.graph.call_function(target, (node, *args))
    for u in users:
        u.args = tuple(new if a is node else a for a in u.args)
    gm.recompile()
    return new
