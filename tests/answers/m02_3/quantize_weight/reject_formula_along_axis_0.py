# The formula with scales along axis 0, of four axes.
# finds: wrong-axis
import torch

ops = torch.ops.quantized_decomposed


def quantize_weight(gm, obs_node):
    o = gm.get_submodule(obs_node.target)
    w = gm.get_parameter(obs_node.args[0].target).detach()
    s, z = o.calculate_qparams()
    q = (w / s.reshape(-1, 1, 1, 1)).round().clamp(-127, 127).to(torch.int8)
    n = obs_node.name
    gm.register_buffer(n + "weight_q", q)
    gm.register_buffer(n + "scales", s)
    gm.register_buffer(n + "zeros", z)
    with gm.graph.inserting_before(obs_node):
        nodes = [gm.graph.get_attr(n + k) for k in ("weight_q", "scales", "zeros")]
        dq = gm.graph.call_function(ops.dequantize_per_channel.default, (*nodes, 0, -127, 127, torch.int8))
    obs_node.replace_all_uses_with(dq)
    gm.graph.erase_node(obs_node)
