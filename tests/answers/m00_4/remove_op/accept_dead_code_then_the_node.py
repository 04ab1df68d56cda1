def remove_op(gm, node):
    node.replace_all_uses_with(node.args[0])
    gm.graph.eliminate_dead_code()
    if node in gm.graph.nodes:
        gm.graph.erase_node(node)
    gm.recompile()
