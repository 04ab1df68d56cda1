# A KeyError that is not about the name of a buffer.
# finds: raised
# not: name-with-a-dot
import torch

ops = torch.ops.quantized_decomposed


def quantize_weight(gm, obs_node):
    o = gm.get_submodule(obs_node.target)
    weight_node = obs_node.args[0]
    weight = gm.get_parameter(weight_node.target).detach()
    s, z = o.calculate_qparams()
    rest = (vars(o)["axis"], o.quant_min, o.quant_max, o.dtype)
    q = ops.quantize_per_channel(weight, s, z, *rest)
    nodes = []
    with gm.graph.inserting_before(obs_node):
        for kind, t in (("q", q), ("scale", s), ("zp", z)):
            name = f"{obs_node.name}_{kind}"
            gm.register_buffer(name, t)
            nodes.append(gm.graph.get_attr(name))
        dq = gm.graph.call_function(ops.dequantize_per_channel.default, (*nodes, *rest))
    obs_node.replace_all_uses_with(dq)
    gm.graph.erase_node(obs_node)
