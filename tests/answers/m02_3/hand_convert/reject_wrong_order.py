# Dequantize stands in front of the quantize node that it reads: the code is new, and cannot run.
# finds: wrong-order
# not: raised, no-recompile, erased-too-early
import torch

from common.graph_utils import observer_nodes

ops = torch.ops.quantized_decomposed


def hand_convert(prepared):
    graph = prepared.graph
    for node, observer in observer_nodes(prepared):
        source = node.args[0]
        scale, zero_point = observer.calculate_qparams()
        limits = (observer.quant_min, observer.quant_max, observer.dtype)
        with graph.inserting_before(node):
            if source.op == "get_attr":
                weight = prepared.get_parameter(source.target).detach()
                numbers = (observer.ch_axis, *limits)
                stored = ops.quantize_per_channel(weight, scale, zero_point, *numbers)
                names = [f"{node.name}_{part}" for part in ("int8", "scale", "zero_point")]
                for name, tensor in zip(names, (stored, scale, zero_point)):
                    prepared.register_buffer(name, tensor)
                constants = [graph.get_attr(name) for name in names]
                dq = graph.call_function(ops.dequantize_per_channel.default, (*constants, *numbers))
            else:
                numbers = (scale.item(), zero_point.item(), *limits)
                with graph.inserting_after(node):
                    q = graph.call_function(ops.quantize_per_tensor.default, (source, *numbers))
                dq = graph.call_function(ops.dequantize_per_tensor.default, (q, *numbers))
        node.replace_all_uses_with(dq)
        graph.erase_node(node)
    prepared.recompile()
    return prepared
