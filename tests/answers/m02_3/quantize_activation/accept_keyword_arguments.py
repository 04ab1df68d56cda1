# Numbers as keyword arguments.
import torch

ops = torch.ops.quantized_decomposed


def quantize_activation(gm, obs_node):
    o = gm.get_submodule(obs_node.target)
    s, z = o.calculate_qparams()
    kw = {
        "scale": s.item(),
        "zero_point": z.item(),
        "quant_min": o.quant_min,
        "quant_max": o.quant_max,
        "dtype": o.dtype,
    }
    g = gm.graph
    with g.inserting_after(obs_node):
        q = g.call_function(ops.quantize_per_tensor.default, (obs_node.args[0],), kw)
    with g.inserting_after(q):
        dq = g.call_function(ops.dequantize_per_tensor.default, (q,), dict(kw))
    obs_node.replace_all_uses_with(dq)
    g.erase_node(obs_node)
