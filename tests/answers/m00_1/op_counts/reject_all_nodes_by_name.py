# finds: node-names, not-an-op
from collections import Counter


def op_counts(gm):
    return Counter(n.name for n in gm.graph.nodes)
