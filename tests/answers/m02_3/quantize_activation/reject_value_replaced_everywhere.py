# Moves all readers of the value, the new quantize node among them.
# finds: self-loop
import torch

ops = torch.ops.quantized_decomposed


def quantize_activation(gm, obs_node):
    o = gm.get_submodule(obs_node.target)
    s, z = o.calculate_qparams()
    rest = (s.item(), z.item(), o.quant_min, o.quant_max, o.dtype)
    value = obs_node.args[0]
    with gm.graph.inserting_after(obs_node):
        q = gm.graph.call_function(ops.quantize_per_tensor.default, (value, *rest))
    with gm.graph.inserting_after(q):
        dq = gm.graph.call_function(ops.dequantize_per_tensor.default, (q, *rest))
    value.replace_all_uses_with(dq)
    obs_node.replace_all_uses_with(dq)
    gm.graph.erase_node(obs_node)
