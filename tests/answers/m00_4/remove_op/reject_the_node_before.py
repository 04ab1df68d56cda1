# finds: wrong-input
def remove_op(gm, node):
    node.replace_all_uses_with(node.prev)
    gm.graph.erase_node(node)
    gm.graph.eliminate_dead_code()
    gm.recompile()
