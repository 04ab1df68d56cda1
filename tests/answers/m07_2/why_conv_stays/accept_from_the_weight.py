# A weight per channel has a tensor of scales; a single scale is a number.
import torch


def why_conv_stays(gm):
    convs = [n for n in gm.graph.nodes if "conv" in str(n.target) and n.op == "call_function"]
    why = {n.name: set() for n in convs}
    for conv in convs:
        (reader,) = conv.users
        if conv.target == torch.ops.aten.conv2d.default:
            why[conv.name] |= {"op"}
        if not isinstance(conv.args[1].args[1], float):
            why[conv.name] |= {"weight"}
        if reader.target == torch.ops.aten.relu.default:
            why[conv.name] |= {"output"}
    return why
