# finds: in-place-erased
# not: too-much


def remove_op(gm, node):
    reads = node.all_input_nodes
    node.replace_all_uses_with(node.args[0])
    gm.graph.erase_node(node)
    todo = reads
    while todo:
        n = todo.pop()
        if not n.users and n.op in ("get_attr", "call_function"):
            todo += n.all_input_nodes
            gm.graph.erase_node(n)
    gm.recompile()
