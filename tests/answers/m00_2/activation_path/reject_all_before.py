# finds: all-before
# not: downstream, no-ops
def activation_path(gm, node):
    path = []
    for n in gm.graph.nodes:
        if n.op == "call_function":
            path.append(n.name)
        if n is node:
            return path
