# Lists for sets, nodes for names, short names for targets.
from common.graph_utils import short


def why_conv_stays(gm):
    found = {}
    for node in gm.graph.nodes:
        if short(node.target) in ("conv2d", "convolution"):
            holds = {
                "op": short(node.target) == "convolution",
                "weight": short(node.args[1].target) == "dequantize_per_tensor",
                "output": all(short(user.target) == "quantize_per_tensor" for user in node.users),
            }
            found[node] = [condition for condition, fine in holds.items() if not fine]
    return found
