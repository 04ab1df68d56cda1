# finds: out-of-order
def replace_op(gm, old, new):
    for node in list(gm.graph.nodes):
        if node.target == old:
            other = gm.graph.call_function(new, node.args, node.kwargs)
            node.replace_all_uses_with(other)
            gm.graph.erase_node(node)
    gm.recompile()
