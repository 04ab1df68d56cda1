def output_scale(qdq):
    for node in qdq.graph.nodes:
        if "dequantize_per_tensor" in str(node.target) and any(user.op == "output" for user in node.users):
            return node.args[1]
