# finds: last-in-list
# not: input-scale
def output_scale(qdq):
    scale = None
    for node in qdq.graph.nodes:
        if "dequantize_per_tensor" in str(node.target):
            scale = node.args[1]
    return scale
