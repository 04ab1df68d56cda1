# finds: nothing-replaced
def replace_op(gm, old, new):
    for node in gm.graph.nodes:
        if node.target == old.overloadpacket:
            node.target = new
    gm.recompile()
