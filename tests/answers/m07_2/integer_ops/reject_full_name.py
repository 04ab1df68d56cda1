# finds: full-name
from collections import Counter

from common.graph_utils import short


def integer_ops(gm):
    return Counter(str(n.args[0]) for n in gm.graph.nodes if short(n.target) == "out_dtype")
