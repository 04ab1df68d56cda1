# Quantize reads the observer, and is moved with its readers.
# finds: self-loop
import torch

from common.graph_utils import observer_nodes

ops = torch.ops.quantized_decomposed


def quantize_activation(gm, obs_node):
    observer = gm.get_submodule(obs_node.target)
    scale, zp = observer.calculate_qparams()
    numbers = (scale.item(), zp.item(), observer.quant_min, observer.quant_max, observer.dtype)
    with gm.graph.inserting_after(obs_node):
        q = gm.graph.call_function(ops.quantize_per_tensor.default, (obs_node, *numbers))
    with gm.graph.inserting_after(q):
        dq = gm.graph.call_function(ops.dequantize_per_tensor.default, (q, *numbers))
    obs_node.replace_all_uses_with(dq)
    gm.graph.erase_node(obs_node)


def quantize_weight(gm, obs_node):
    o = gm.get_submodule(obs_node.target)
    weight_node = obs_node.args[0]
    weight = gm.get_parameter(weight_node.target).detach()
    s, z = o.calculate_qparams()
    rest = (o.ch_axis, o.quant_min, o.quant_max, o.dtype)
    q = ops.quantize_per_channel(weight, s, z, *rest)
    nodes = []
    with gm.graph.inserting_before(obs_node):
        for kind, t in (("q", q), ("scale", s), ("zp", z)):
            name = f"{obs_node.name}_{kind}"
            gm.register_buffer(name, t)
            nodes.append(gm.graph.get_attr(name))
        dq = gm.graph.call_function(ops.dequantize_per_channel.default, (*nodes, *rest))
    obs_node.replace_all_uses_with(dq)
    gm.graph.erase_node(obs_node)


def hand_convert(prepared):
    for node, _obs in observer_nodes(prepared):
        if node.args[0].op == "get_attr":
            quantize_weight(prepared, node)
        else:
            quantize_activation(prepared, node)
    prepared.recompile()
    return prepared
