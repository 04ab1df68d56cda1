# finds: other-overloads
def replace_op(gm, old, new):
    for node in gm.graph.nodes:
        if getattr(node.target, "overloadpacket", None) == old.overloadpacket:
            node.target = new
    gm.recompile()
