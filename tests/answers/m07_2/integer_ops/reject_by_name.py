# finds: by-name-of-node
from collections import Counter

from common.graph_utils import short


def integer_ops(gm):
    named = [n for n in gm.graph.nodes if n.name.startswith("out_dtype")]
    return Counter(short(n.args[0]) for n in named if callable(n.args[0]))
