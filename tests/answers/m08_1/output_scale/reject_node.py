# finds: form
def output_scale(qdq):
    output = next(n for n in qdq.graph.nodes if n.op == "output")
    return output.args[0]
