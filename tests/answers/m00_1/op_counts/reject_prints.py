# finds: returns-nothing
from collections import Counter


def op_counts(gm):
    c = Counter()
    for n in gm.graph.nodes:
        if n.op == "call_function":
            c[getattr(n.target, "overloadpacket", n.target).__name__] += 1
    print(c)
