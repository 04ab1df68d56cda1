# The __name__ of an overload is "mean.dim", and that of Python's getitem is "getitem".
def op_counts(gm):
    counts = {}
    for node in gm.graph.nodes:
        if node.op == "call_function":
            name = node.target.__name__.split(".")[0]
            counts[name] = counts.get(name, 0) + 1
    return counts
