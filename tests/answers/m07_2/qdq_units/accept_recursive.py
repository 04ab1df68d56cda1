# A recursive walk; a list of lists is as good as a tuple of tuples.
def kind(node):
    name = str(node.target)
    if "dequantize_per_channel" in name:
        return "weight"
    if "dequantize_per_tensor" in name:
        return "input" if "quantize_per_tensor" in str(node.args[0].target) else "weight"
    if "quantize_per_tensor" in name and node.op == "call_function":
        return "quantize"
    return "op" if node.op == "call_function" else "other"


def walk(node, ops, inputs):
    if kind(node) == "input":
        inputs.append((node.args[1], node.args[2]))
    elif kind(node) == "op":
        for source in node.all_input_nodes:
            walk(source, ops, inputs)
        if node not in ops:
            ops.append(node)


def qdq_units(gm):
    found = []
    for q in gm.graph.nodes:
        if kind(q) == "quantize":
            ops, inputs = [], []
            walk(q.args[0], ops, inputs)
            if ops and inputs:
                names = [str(n.target).split(".")[1] for n in ops]
                found.append([names, all(i == (q.args[1], q.args[2]) for i in inputs)])
    return found
