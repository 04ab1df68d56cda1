def remove_op(gm, node):
    node.replace_all_uses_with(node.args[0])
    gm.graph.erase_node(node)
    for n in reversed(gm.graph.nodes):
        if len(n.users) == 0 and not n.is_impure():
            gm.graph.erase_node(n)
    gm.recompile()
