# finds: by-string
def replace_op(gm, old, new):
    word = old.overloadpacket.__name__
    for node in gm.graph.nodes:
        if node.op == "call_function" and word in str(node.target):
            node.target = new
    gm.recompile()
