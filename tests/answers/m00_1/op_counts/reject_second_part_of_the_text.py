# finds: python-function
# not: node-names
from collections import Counter


def op_counts(gm):
    return Counter(str(n.target).split(".")[1] for n in gm.graph.nodes if n.op == "call_function")
