# finds: nodes-not-values
def record_outputs(gm, x):
    found = {}
    for node in gm.graph.nodes:
        if node.op == "call_function":
            found[node.name] = node.target(*node.args, **node.kwargs)
    return found
