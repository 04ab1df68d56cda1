def op_counts(gm):
    names = []
    for n in gm.graph.nodes:
        if n.op == "call_function":
            try:
                names.append(n.target.overloadpacket.__name__)
            except AttributeError:
                names.append(n.target.__name__)
    return {k: names.count(k) for k in set(names)}
