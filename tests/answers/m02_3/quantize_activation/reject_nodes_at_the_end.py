# No inserting_after: the new nodes stand behind the output.
# finds: wrong-order
# not: raised
import torch

ops = torch.ops.quantized_decomposed


def quantize_activation(gm, obs_node):
    o = gm.get_submodule(obs_node.target)
    s, z = o.calculate_qparams()
    rest = (s.item(), z.item(), o.quant_min, o.quant_max, o.dtype)
    q = gm.graph.call_function(ops.quantize_per_tensor.default, (obs_node.args[0], *rest))
    dq = gm.graph.call_function(ops.dequantize_per_tensor.default, (q, *rest))
    obs_node.replace_all_uses_with(dq)
    gm.graph.erase_node(obs_node)
