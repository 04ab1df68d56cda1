# finds: called-directly
def insert_op_after(gm, node, target, args):
    with gm.graph.inserting_after(node):
        new = target(node, *args)
    node.replace_all_uses_with(new)
    gm.recompile()
    return new
