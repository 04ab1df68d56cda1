# finds: raised
# not: erased-first
def replace_op(gm, old, new):
    for node in list(gm.graph.nodes):
        if node.target == old:
            with gm.graph.inserting_before(node):
                other = gm.graph.call_function(new, node.args, node.kwarg)
            node.replace_all_uses_with(other)
            gm.graph.erase_node(node)
    gm.recompile()
