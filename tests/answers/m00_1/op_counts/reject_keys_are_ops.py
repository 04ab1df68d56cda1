# finds: form
from collections import Counter


def op_counts(gm):
    return Counter(n.target for n in gm.graph.nodes if n.op == "call_function")
