# finds: raised
# not: erased-first
def remove_op(gm, node):
    node.replace_all_use_with(node.args[0])
    gm.graph.erase_node(node)
    gm.recompile()
