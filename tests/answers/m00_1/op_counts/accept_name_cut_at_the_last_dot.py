from collections import Counter


def op_counts(gm):
    c = Counter()
    for n in gm.graph.nodes:
        if n.op == "call_function":
            name = n.target.__name__
            c[name.rpartition(".")[0] or name] += 1
    return c
