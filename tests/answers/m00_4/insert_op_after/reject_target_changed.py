# finds: nothing-inserted
def insert_op_after(gm, node, target, args):
    node.target = target
    node.args = (node.args[0] if node.args else node, *args)
    gm.recompile()
    return node
