def remove_op(gm, node):
    keep = node.args[0]
    for reader in list(node.users):
        reader.replace_input_with(node, keep)
    gm.graph.erase_node(node)
    while gm.graph.eliminate_dead_code():
        pass
    gm.recompile()
