# Scale and zero point as tensors of the module, with the ops' overloads for tensors.
import torch

ops = torch.ops.quantized_decomposed


def quantize_activation(gm, obs_node):
    observer = gm.get_submodule(obs_node.target)
    scale, zero_point = observer.calculate_qparams()
    gm.register_buffer("x_scale", scale)
    gm.register_buffer("x_zero_point", zero_point.to(torch.int64))
    limits = (observer.quant_min, observer.quant_max, observer.dtype)
    with gm.graph.inserting_before(obs_node):
        s, z = gm.graph.get_attr("x_scale"), gm.graph.get_attr("x_zero_point")
        q = gm.graph.call_function(ops.quantize_per_tensor.tensor, (obs_node.args[0], s, z, *limits))
        dq = gm.graph.call_function(ops.dequantize_per_tensor.tensor, (q, s, z, *limits))
    obs_node.replace_all_uses_with(dq)
    gm.graph.erase_node(obs_node)
