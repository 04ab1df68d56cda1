# finds: counts-out-dtype
from collections import Counter

from common.graph_utils import short


def integer_ops(gm):
    return Counter(short(n.target) for n in gm.graph.nodes if "out_dtype" in str(n.target))
