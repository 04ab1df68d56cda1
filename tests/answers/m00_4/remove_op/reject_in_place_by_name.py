# finds: in-place-erased


def remove_op(gm, node):
    node.replace_all_uses_with(node.args[0])
    gm.graph.erase_node(node)
    for n in reversed(list(gm.graph.nodes)):
        if n.op in ("get_attr", "call_function") and not n.users and not n.name.endswith("_"):
            gm.graph.erase_node(n)
    gm.recompile()
