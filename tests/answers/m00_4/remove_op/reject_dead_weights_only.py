# finds: dead-code


def remove_op(gm, node):
    node.replace_all_uses_with(node.args[0])
    gm.graph.erase_node(node)
    for n in list(gm.graph.nodes):
        if n.op == "get_attr" and not n.users:
            gm.graph.erase_node(n)
    gm.recompile()
