# Fake quant ops instead of quantize and dequantize.
# finds: fake-quant
import torch

from common.graph_utils import observer_nodes


def hand_convert(prepared):
    g = prepared.graph
    for i, (node, o) in enumerate(observer_nodes(prepared)):
        s, z = o.calculate_qparams()
        with g.inserting_before(node):
            if s.numel() > 1:
                prepared.register_buffer(f"s{i}", s)
                prepared.register_buffer(f"z{i}", z)
                dq = g.call_function(
                    torch.ops.aten.fake_quantize_per_channel_affine.default,
                    (node.args[0], g.get_attr(f"s{i}"), g.get_attr(f"z{i}"), o.ch_axis, o.quant_min, o.quant_max),
                )
            else:
                dq = g.call_function(
                    torch.ops.aten.fake_quantize_per_tensor_affine.default,
                    (node.args[0], s.item(), z.item(), o.quant_min, o.quant_max),
                )
        node.replace_all_uses_with(dq)
        g.erase_node(node)
    prepared.recompile()
    return prepared
