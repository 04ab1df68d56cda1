# Compares packets, and returns nodes.
import torch

aten = torch.ops.aten
FOLDS_INTO = {aten.conv2d.default, aten.conv2d.padding, aten.conv_transpose2d.input, aten.linear.default}


def folded_in_prepare(gm):
    packets = {t.overloadpacket for t in FOLDS_INTO}
    found = set()
    for node in gm.graph.nodes:
        if getattr(node.target, "overloadpacket", None) is aten.batch_norm:
            before = node.all_input_nodes[0]
            if getattr(before.target, "overloadpacket", None) in packets:
                found.add(node)
    return tuple(found)
