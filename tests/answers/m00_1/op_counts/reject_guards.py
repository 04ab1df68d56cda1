# finds: guards
# not: not-an-op
from collections import Counter


def op_counts(gm):
    found = Counter()
    for n in gm.graph.nodes:
        if n.op.startswith("call"):
            found[n.target if isinstance(n.target, str) else n.target.__name__.split(".")[0]] += 1
    return found
