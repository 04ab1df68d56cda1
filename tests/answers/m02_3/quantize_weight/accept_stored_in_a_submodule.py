# Integers, scales and zero points in a module of their own.
import torch

ops = torch.ops.quantized_decomposed


def quantize_weight(gm, obs_node):
    o = gm.get_submodule(obs_node.target)
    weight_node = obs_node.args[0]
    weight = gm.get_parameter(weight_node.target).detach()
    s, z = o.calculate_qparams()
    store = torch.nn.Module()
    rest = (o.ch_axis, o.quant_min, o.quant_max, o.dtype)
    store.register_buffer("q", ops.quantize_per_channel.default(weight, s, z, *rest))
    store.register_buffer("s", s)
    store.register_buffer("z", z)
    name = f"stored_{obs_node.name}"
    gm.add_module(name, store)
    with gm.graph.inserting_before(obs_node):
        nodes = [gm.graph.get_attr(f"{name}.{k}") for k in "qsz"]
        dq = gm.graph.call_function(ops.dequantize_per_channel.default, (*nodes, *rest))
    obs_node.replace_all_uses_with(dq)
    gm.graph.erase_node(obs_node)
