# finds: users-of-the-input
def remove_op(gm, node):
    node.args[0].replace_all_uses_with(node)
    gm.recompile()
