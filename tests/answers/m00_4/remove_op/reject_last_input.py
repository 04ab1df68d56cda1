# finds: wrong-input
def remove_op(gm, node):
    node.replace_all_uses_with(node.all_input_nodes[-1])
    gm.graph.erase_node(node)
    gm.graph.eliminate_dead_code()
    gm.recompile()
