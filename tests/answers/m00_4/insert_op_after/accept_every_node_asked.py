def insert_op_after(gm, node, target, args):
    with gm.graph.inserting_after(node):
        new = gm.graph.call_function(target, (node, *args))
    for n in gm.graph.nodes:
        if n is not new:
            n.replace_input_with(node, new)
    gm.recompile()
    return new
