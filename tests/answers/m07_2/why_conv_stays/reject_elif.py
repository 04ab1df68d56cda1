# finds: only-one-reason
# not: weight-not-seen
from common.graph_utils import short


def why_conv_stays(gm):
    found = {}
    for node in gm.graph.nodes:
        if short(node.target) in ("conv2d", "convolution"):
            found[node.name] = set()
            if short(node.target) == "conv2d":
                found[node.name] = {"op"}
            elif short(node.args[1].target) == "dequantize_per_channel":
                found[node.name] = {"weight"}
            elif short(next(iter(node.users)).target) == "relu":
                found[node.name] = {"output"}
    return found
