# Weights are treated like activations.
# finds: one-scale
# not: wrong-qparams
import torch

from common.graph_utils import observer_nodes

ops = torch.ops.quantized_decomposed


def hand_convert(prepared):
    graph = prepared.graph
    for node, observer in observer_nodes(prepared):
        scale, zero_point = (v.flatten()[0].item() for v in observer.calculate_qparams())
        numbers = (scale, zero_point, observer.quant_min, observer.quant_max, observer.dtype)
        with graph.inserting_before(node):
            q = graph.call_function(ops.quantize_per_tensor.default, (node.args[0], *numbers))
            dq = graph.call_function(ops.dequantize_per_tensor.default, (q, *numbers))
        node.replace_all_uses_with(dq)
        graph.erase_node(node)
    prepared.recompile()
    return prepared
