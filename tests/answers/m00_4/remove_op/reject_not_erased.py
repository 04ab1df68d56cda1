# finds: not-erased
def remove_op(gm, node):
    node.replace_all_uses_with(node.args[0])
    gm.recompile()
