# finds: out-of-order
# The new node stands in front of what it reads, and the answer's own lint says so.
def replace_op(gm, old, new):
    for node in list(gm.graph.nodes):
        if node.target == old:
            with gm.graph.inserting_before(node.args[0]):
                other = gm.graph.call_function(new, node.args, node.kwargs)
            node.replace_all_uses_with(other)
            gm.graph.erase_node(node)
    gm.graph.lint()
    gm.recompile()
