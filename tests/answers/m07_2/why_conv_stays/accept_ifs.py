import torch

aten, qd = torch.ops.aten, torch.ops.quantized_decomposed


def why_conv_stays(gm):
    found = {}
    for node in gm.graph.nodes:
        if node.target not in (aten.conv2d.default, aten.convolution.default):
            continue
        why = set()
        if node.target != aten.convolution.default:
            why.add("op")
        if node.args[1].target == qd.dequantize_per_channel.default:
            why.add("weight")
        if [u.target for u in node.users] != [qd.quantize_per_tensor.default]:
            why.add("output")
        found[node.name] = why
    return found
