# finds: other-overloads


def replace_op(gm, old, new):
    for n in list(gm.graph.nodes):
        if n.op == "call_function" and n.name.split("_")[0] == old.overloadpacket.__name__:
            n.target = new
    gm.recompile()
