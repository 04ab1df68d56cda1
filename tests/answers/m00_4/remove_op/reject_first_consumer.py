# finds: still-read
# not: erased-first


def remove_op(gm, node):
    next(iter(node.users)).replace_input_with(node, node.args[0])
    gm.graph.eliminate_dead_code()
    gm.recompile()
