# finds: in-place, python-function
# not: node-names
from collections import Counter


def op_counts(gm):
    c = Counter()
    for n in gm.graph.nodes:
        if n.op == "call_function":
            c[n.meta["torch_fn"][1].split(".")[-1]] += 1
    return c
