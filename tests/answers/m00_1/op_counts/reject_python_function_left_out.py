# finds: python-function
# not: not-an-op
from collections import Counter


def op_counts(gm):
    targets = [n.target for n in gm.graph.nodes if n.op == "call_function" and "aten" in str(n.target)]
    return Counter(str(t).split(".")[1] for t in targets)
