# Multiplies without reshaping.
# finds: wrong-axis
# not: one-scale
def dequantize_weight(gm, name):
    dq = next(n for n in gm.graph.nodes if n.name == name).args[1]
    q, s, z = (getattr(gm, a.target) for a in dq.args[:3])
    return (q.float() - z) * s
