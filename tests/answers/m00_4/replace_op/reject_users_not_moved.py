# finds: users-not-moved
def replace_op(gm, old, new):
    for node in list(gm.graph.nodes):
        if node.target == old:
            with gm.graph.inserting_after(node):
                gm.graph.call_function(new, node.args, node.kwargs)
    gm.recompile()
