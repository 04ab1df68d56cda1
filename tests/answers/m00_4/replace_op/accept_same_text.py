def replace_op(gm, old, new):
    for n in gm.graph.nodes:
        if n.op == "call_function" and str(n.target) == str(old):
            n.target = new
    gm.recompile()
