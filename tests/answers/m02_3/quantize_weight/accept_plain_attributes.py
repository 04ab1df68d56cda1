# Tensors as plain attributes of the module.
import torch

ops = torch.ops.quantized_decomposed


def quantize_weight(gm, obs_node):
    o = gm.get_submodule(obs_node.target)
    weight_node = obs_node.args[0]
    weight = gm.get_parameter(weight_node.target).detach()
    s, z = o.calculate_qparams()
    rest = (o.ch_axis, o.quant_min, o.quant_max, o.dtype)
    nm = obs_node.target
    setattr(gm, nm + "_w", ops.quantize_per_channel(weight, s, z, *rest))
    setattr(gm, nm + "_s", s)
    setattr(gm, nm + "_z", z)
    with gm.graph.inserting_before(obs_node):
        dq = gm.graph.call_function(
            ops.dequantize_per_channel.default,
            (gm.graph.get_attr(nm + "_w"), gm.graph.get_attr(nm + "_s"), gm.graph.get_attr(nm + "_z"), *rest),
        )
    obs_node.replace_all_uses_with(dq)
    gm.graph.erase_node(obs_node)
