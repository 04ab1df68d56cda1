from collections import Counter


def op_counts(gm):
    counts = Counter(dropout=0)
    counts.update(n.target.__name__.partition(".")[0] for n in gm.graph.nodes if n.op == "call_function")
    return counts
