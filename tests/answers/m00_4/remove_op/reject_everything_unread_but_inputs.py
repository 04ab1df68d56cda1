# finds: in-place-erased


def remove_op(gm, node):
    node.replace_all_uses_with(node.args[0])
    gm.graph.erase_node(node)
    for n in reversed(list(gm.graph.nodes)):
        if n.op not in ("output", "placeholder") and not n.users:
            gm.graph.erase_node(n)
    gm.recompile()
