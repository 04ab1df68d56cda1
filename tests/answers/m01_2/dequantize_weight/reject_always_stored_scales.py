# Looks scale and zero point up in the module, always.
# finds: numbers-not-nodes
# not: raised
def dequantize_weight(gm, name):
    dq = next(n for n in gm.graph.nodes if n.name == name).args[1]
    q, s, z = (getattr(gm, a.target) for a in dq.args[:3])
    sh = [1] * q.ndim
    sh[dq.args[3]] = -1
    return (q.float() - z.reshape(sh)) * s.reshape(sh)
