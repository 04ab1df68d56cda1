# Asks for one number of eight.
# finds: one-scale
# not: raised
import torch

ops = torch.ops.quantized_decomposed


def quantize_weight(gm, obs_node):
    o = gm.get_submodule(obs_node.target)
    w = gm.get_parameter(obs_node.args[0].target).detach()
    s, z = o.calculate_qparams()
    s, z = s.item(), z.item()
    q = ops.quantize_per_tensor(w, s, z, o.quant_min, o.quant_max, o.dtype)
    n = obs_node.name
    gm.register_buffer(n + "_q", q)
    with gm.graph.inserting_before(obs_node):
        a = gm.graph.get_attr(n + "_q")
        dq = gm.graph.call_function(ops.dequantize_per_tensor.default, (a, s, z, o.quant_min, o.quant_max, o.dtype))
    obs_node.replace_all_uses_with(dq)
    gm.graph.erase_node(obs_node)
