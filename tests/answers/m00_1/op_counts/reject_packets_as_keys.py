# finds: form
from collections import Counter


def op_counts(gm):
    return Counter(getattr(n.target, "overloadpacket", n.target) for n in gm.graph.nodes if n.op == "call_function")
