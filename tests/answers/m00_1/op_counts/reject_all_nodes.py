# finds: not-an-op
# not: node-names
from collections import Counter


def op_counts(gm):
    return Counter(getattr(n.target, "__name__", str(n.target)).split(".")[0] for n in gm.graph.nodes)
