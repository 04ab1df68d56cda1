# The same names for every weight.
# finds: one-name-for-all
import torch

ops = torch.ops.quantized_decomposed


def quantize_weight(gm, obs_node):
    o = gm.get_submodule(obs_node.target)
    weight = gm.get_parameter(obs_node.args[0].target).detach()
    s, z = o.calculate_qparams()
    rest = (o.ch_axis, o.quant_min, o.quant_max, o.dtype)
    gm.register_buffer("weight_q", ops.quantize_per_channel(weight, s, z, *rest))
    gm.register_buffer("scales", s)
    gm.register_buffer("zeros", z)
    with gm.graph.inserting_before(obs_node):
        nodes = [gm.graph.get_attr(n) for n in ("weight_q", "scales", "zeros")]
        dq = gm.graph.call_function(ops.dequantize_per_channel.default, (*nodes, *rest))
    obs_node.replace_all_uses_with(dq)
    gm.graph.erase_node(obs_node)
