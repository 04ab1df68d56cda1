# finds: all-of-that-name
from collections import Counter

from common.graph_utils import op_counts, short


def integer_ops(gm):
    inside = {short(n.args[0]) for n in gm.graph.nodes if short(n.target) == "out_dtype"}
    counts = op_counts(gm)
    return Counter({name: counts[name] + 1 if name not in counts else counts[name] for name in inside})
