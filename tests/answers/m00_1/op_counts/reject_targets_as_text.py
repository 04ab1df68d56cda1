# finds: full-name
# not: not-an-op
from collections import Counter


def op_counts(gm):
    return Counter(str(n.target) for n in gm.graph.nodes if n.op == "call_function")
