# finds: float-weight
def dequantize_weight(gm, name):
    node = next(n for n in gm.graph.nodes if n.name == name)
    bias = node.args[2].target
    return gm.get_parameter(bias.replace("bias", "weight"))
