# Names the buffer like the weight, with a dot.
# finds: name-with-a-dot
# not: raised
import torch

ops = torch.ops.quantized_decomposed


def quantize_weight(gm, obs_node):
    o = gm.get_submodule(obs_node.target)
    wn = obs_node.args[0]
    w = gm.get_parameter(wn.target).detach()
    s, z = o.calculate_qparams()
    rest = (o.ch_axis, o.quant_min, o.quant_max, o.dtype)
    gm.register_buffer(wn.target + "_q", ops.quantize_per_channel(w, s, z, *rest))
    gm.register_buffer(wn.target + "_s", s)
    gm.register_buffer(wn.target + "_z", z)
    with gm.graph.inserting_before(obs_node):
        nodes = [gm.graph.get_attr(wn.target + k) for k in ("_q", "_s", "_z")]
        dq = gm.graph.call_function(ops.dequantize_per_channel.default, (*nodes, *rest))
    obs_node.replace_all_uses_with(dq)
    gm.graph.erase_node(obs_node)
