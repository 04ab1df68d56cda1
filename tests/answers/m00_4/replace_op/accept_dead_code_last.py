# The old nodes are left unread, and taken away all at once.
def replace_op(gm, old, new):
    graph = gm.graph
    for node in graph.find_nodes(op="call_function", target=old):
        with graph.inserting_after(node):
            node.replace_all_uses_with(graph.call_function(new, args=node.args, kwargs=node.kwargs))
    graph.eliminate_dead_code()
    gm.recompile()
