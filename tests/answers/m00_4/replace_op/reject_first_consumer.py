# finds: users-not-moved


def replace_op(gm, old, new):
    for n in list(gm.graph.nodes):
        if n.target == old:
            with gm.graph.inserting_before(n):
                m = gm.graph.call_function(new, n.args, n.kwargs)
            next(iter(n.users)).replace_input_with(n, m)
            if not n.users:
                gm.graph.erase_node(n)
    gm.recompile()
