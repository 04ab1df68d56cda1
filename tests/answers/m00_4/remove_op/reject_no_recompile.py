# finds: no-recompile
def remove_op(gm, node):
    node.replace_all_uses_with(node.args[0])
    gm.graph.erase_node(node)
    gm.graph.eliminate_dead_code()
