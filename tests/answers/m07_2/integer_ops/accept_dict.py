# A plain dict, with zeros in it for ops that were looked for and not found.
from common.graph_utils import short


def integer_ops(gm):
    counts = {"mul": 0, "linear": 0}
    for node in gm.graph.nodes:
        if short(node.target) == "out_dtype":
            name = str(node.args[0].overloadpacket).split(".")[-1]
            counts[name] = counts.get(name, 0) + 1
    return counts
