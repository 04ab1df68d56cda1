# finds: self-loop
def insert_op_after(gm, node, target, args):
    with gm.graph.inserting_after(node):
        new = gm.graph.call_function(target, (node, *args))
    for user in list(node.users):
        user.replace_input_with(node, new)
    gm.recompile()
    return new
