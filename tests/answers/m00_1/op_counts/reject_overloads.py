# finds: overloads-apart
# not: full-name, node-names, not-an-op
from collections import Counter


def op_counts(gm):
    return Counter(n.target.__name__ for n in gm.graph.nodes if n.op == "call_function")
