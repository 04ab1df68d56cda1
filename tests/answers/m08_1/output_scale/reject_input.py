# finds: input-scale
def output_scale(qdq):
    for node in qdq.graph.nodes:
        if "quantize_per_tensor" in str(node.target):
            return node.args[1]
