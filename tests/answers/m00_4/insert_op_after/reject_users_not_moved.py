# finds: users-not-moved
def insert_op_after(gm, node, target, args):
    with gm.graph.inserting_after(node):
        new = gm.graph.call_function(target, (node, *args))
    gm.recompile()
    return new
