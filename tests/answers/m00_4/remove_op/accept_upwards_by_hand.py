# Erases upwards from the node, and leaves alone what was unread before and what works in place.
def remove_op(gm, node):
    inputs = node.all_input_nodes
    node.replace_all_uses_with(node.args[0])
    gm.graph.erase_node(node)
    todo = list(inputs)
    while todo:
        n = todo.pop()
        if n.users or n.op in ("placeholder", "output") or n.is_impure():
            continue
        todo += n.all_input_nodes
        gm.graph.erase_node(n)
    gm.recompile()
