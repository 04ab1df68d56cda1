# finds: form
def activation_path(gm, node):
    return " → ".join(n.name for n in gm.graph.nodes if n.op == "call_function")
