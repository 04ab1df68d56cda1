# finds: users-of-the-input
# not: erased-first
def remove_op(gm, node):
    node.args[0].replace_all_uses_with(node)
    gm.graph.erase_node(node)
    gm.graph.eliminate_dead_code()
    gm.recompile()
