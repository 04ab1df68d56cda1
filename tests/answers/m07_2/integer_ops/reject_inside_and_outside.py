# finds: all-of-that-name
from collections import Counter

from common.graph_utils import op_counts, short


def integer_ops(gm):
    inside = Counter(short(n.args[0]) for n in gm.graph.nodes if short(n.target) == "out_dtype")
    outside = op_counts(gm)
    return Counter({name: n + outside[name] for name, n in inside.items()})
