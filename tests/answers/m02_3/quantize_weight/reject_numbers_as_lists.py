# Lists of numbers among the arguments.
# finds: tensor-as-argument
import torch

ops = torch.ops.quantized_decomposed


def quantize_weight(gm, obs_node):
    o = gm.get_submodule(obs_node.target)
    weight = gm.get_parameter(obs_node.args[0].target).detach()
    s, z = o.calculate_qparams()
    rest = (o.ch_axis, o.quant_min, o.quant_max, o.dtype)
    n = obs_node.name + "_q"
    gm.register_buffer(n, ops.quantize_per_channel(weight, s, z, *rest))
    with gm.graph.inserting_before(obs_node):
        node = gm.graph.get_attr(n)
        dq = gm.graph.call_function(ops.dequantize_per_channel.default, (node, s.tolist(), z.tolist(), *rest))
    obs_node.replace_all_uses_with(dq)
    gm.graph.erase_node(obs_node)
