# On a copy; the weights keep their quantize nodes, as with fold_quantize=False; the observers are erased at the end.
import copy

import torch

from common.graph_utils import observer_nodes

ops = torch.ops.quantized_decomposed


def hand_convert(prepared):
    gm = copy.deepcopy(prepared)
    for i, (node, observer) in enumerate(observer_nodes(gm)):
        scale, zero_point = observer.calculate_qparams()
        limits = (observer.quant_min, observer.quant_max, observer.dtype)
        per_channel = hasattr(observer, "ch_axis")
        with gm.graph.inserting_before(node):
            if per_channel:
                gm.register_buffer(f"s{i}", scale)
                gm.register_buffer(f"z{i}", zero_point)
                numbers = (gm.graph.get_attr(f"s{i}"), gm.graph.get_attr(f"z{i}"), observer.ch_axis, *limits)
            else:
                numbers = (scale.item(), zero_point.item(), *limits)
            kind = "per_channel" if per_channel else "per_tensor"
            q = gm.graph.call_function(getattr(ops, f"quantize_{kind}").default, (node.args[0], *numbers))
            dq = gm.graph.call_function(getattr(ops, f"dequantize_{kind}").default, (q, *numbers))
        node.replace_all_uses_with(dq)
    for node in reversed(gm.graph.nodes):
        if node.op == "call_module" and node.target != "_guards_fn":
            gm.graph.erase_node(node)
    gm.graph.lint()
    gm.recompile()
    return gm
