from torch import fx


def replace_op(gm, old, new):
    g = fx.Graph()
    env = {}
    for n in gm.graph.nodes:
        m = g.node_copy(n, lambda k: env[k])
        if m.target == old:
            m.target = new
        env[n] = m
    g.set_codegen(gm.graph._codegen)
    gm.graph = g
    gm.recompile()
