# finds: new-is-a-family
def replace_op(gm, old, new):
    for node in gm.graph.nodes:
        if node.target == old:
            node.target = new.overloadpacket
    gm.recompile()
