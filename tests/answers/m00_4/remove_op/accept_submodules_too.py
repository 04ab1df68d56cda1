def remove_op(gm, node):
    node.replace_all_uses_with(node.args[0])
    gm.graph.erase_node(node)
    gm.graph.eliminate_dead_code()
    gm.delete_all_unused_submodules()
    gm.recompile()
    return gm
