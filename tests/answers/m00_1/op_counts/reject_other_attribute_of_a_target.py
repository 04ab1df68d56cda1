# finds: raised
# not: python-function
from collections import Counter


def op_counts(gm):
    return Counter(n.target.overload_packet for n in gm.graph.nodes if n.op == "call_function")
