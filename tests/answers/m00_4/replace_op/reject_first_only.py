# finds: first-only
def replace_op(gm, old, new):
    node = next(n for n in gm.graph.nodes if n.target == old)
    node.target = new
    gm.recompile()
