# finds: form
from common.graph_utils import short


def integer_ops(gm):
    return sum(short(n.target) == "out_dtype" for n in gm.graph.nodes)
