# finds: full-name
# not: overloads-apart
from collections import Counter


def op_counts(gm):
    return Counter(
        str(getattr(n.target, "overloadpacket", n.target.__name__)) for n in gm.graph.nodes if n.op == "call_function"
    )
