# finds: one-pass
# not: erased-first
# Erases what the node had read, and stops there.
def remove_op(gm, node):
    reads = node.all_input_nodes
    node.replace_all_uses_with(node.args[0])
    gm.graph.erase_node(node)
    for n in reads:
        if not n.users and n.op != "placeholder":
            gm.graph.erase_node(n)
    gm.recompile()
