# finds: shortcut
from collections import Counter

from common.graph_utils import short


def op_counts(gm):
    return Counter(short(n.target) for n in gm.graph.nodes if n.op == "call_function")
