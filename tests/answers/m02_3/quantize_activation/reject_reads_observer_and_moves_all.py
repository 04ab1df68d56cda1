# Quantize reads the observer, and replace_all_uses_with moves quantize too.
# finds: self-loop
# not: observer-left-in
import torch

ops = torch.ops.quantized_decomposed


def quantize_activation(gm, obs_node):
    o = gm.get_submodule(obs_node.target)
    s, z = o.calculate_qparams()
    rest = (s.item(), z.item(), o.quant_min, o.quant_max, o.dtype)
    with gm.graph.inserting_after(obs_node):
        q = gm.graph.call_function(ops.quantize_per_tensor.default, (obs_node, *rest))
    with gm.graph.inserting_after(q):
        dq = gm.graph.call_function(ops.dequantize_per_tensor.default, (q, *rest))
    obs_node.replace_all_uses_with(dq)
    gm.graph.erase_node(obs_node)
