# finds: args-nested
# not: raised, args-lost


def replace_op(gm, old, new):
    for n in list(gm.graph.nodes):
        if n.target == old:
            with gm.graph.inserting_before(n):
                m = gm.graph.call_function(new, (n.args,), n.kwargs)
            n.replace_all_uses_with(m)
            gm.graph.erase_node(n)
    gm.recompile()
