# finds: node-names
# not: overloads-apart, not-an-op
from collections import Counter


def op_counts(gm):
    return Counter(n.name for n in gm.graph.nodes if n.op == "call_function")
