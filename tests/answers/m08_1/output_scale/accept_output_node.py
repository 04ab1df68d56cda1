def output_scale(qdq):
    output = next(n for n in qdq.graph.nodes if n.op == "output")
    (last,) = output.all_input_nodes
    return last.args[1] if "dequantize_per_tensor" in str(last.target) else None
