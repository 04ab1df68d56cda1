def op_counts(gm):
    counts = {}
    for node in gm.graph.nodes:
        if node.op != "call_function":
            continue
        s = str(node.target)
        key = s.split(".")[1] if s.startswith("aten.") else node.target.__name__
        counts[key] = counts.get(key, 0) + 1
    return counts
