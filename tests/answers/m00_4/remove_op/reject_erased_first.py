# finds: erased-first
def remove_op(gm, node):
    gm.graph.erase_node(node)
    gm.graph.eliminate_dead_code()
    gm.recompile()
