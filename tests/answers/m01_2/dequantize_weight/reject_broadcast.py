# finds: wrong-axis
# Right for a linear with scales along axis 1, an error for a convolution.
def dequantize_weight(gm, name):
    dq = next(n for n in gm.graph.nodes if n.name == name).args[1]
    constant, scale, zero = (getattr(gm, a.target) if hasattr(a, "target") else a for a in dq.args[:3])
    return (constant.float() - zero) * scale
