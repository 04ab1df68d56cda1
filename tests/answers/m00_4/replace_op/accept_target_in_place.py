def replace_op(gm, old, new):
    for node in gm.graph.nodes:
        if node.op == "call_function" and node.target is old:
            node.target = new
    gm.recompile()
    return gm
