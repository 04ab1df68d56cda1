# Takes the first observer of the graph, whichever was given.
# finds: another-observer
import torch

from common.graph_utils import observer_nodes

ops = torch.ops.quantized_decomposed


def quantize_weight(gm, obs_node):
    obs_node, o = observer_nodes(gm)[0]
    wn = obs_node.args[0]
    w = gm.get_parameter(wn.target).detach()
    s, z = o.calculate_qparams()
    rest = (o.ch_axis, o.quant_min, o.quant_max, o.dtype)
    n = obs_node.name
    gm.register_buffer(n + "_q", ops.quantize_per_channel(w, s, z, *rest))
    gm.register_buffer(n + "_s", s)
    gm.register_buffer(n + "_z", z)
    with gm.graph.inserting_before(obs_node):
        nodes = [gm.graph.get_attr(n + k) for k in ("_q", "_s", "_z")]
        dq = gm.graph.call_function(ops.dequantize_per_channel.default, (*nodes, *rest))
    obs_node.replace_all_uses_with(dq)
    gm.graph.erase_node(obs_node)
