# finds: returns-nothing


def insert_op_after(gm, node, target, args):
    users = list(node.users)
    with gm.graph.inserting_after(node):
        new = gm.graph.call_function(target, (node, *args))
    for u in users:
        u.replace_input_with(node, new)
    gm.recompile()
    return new.name
