# finds: reads-observer
# not: not-rewired
import torch

ops = torch.ops.quantized_decomposed


def quantize_activation(gm, obs_node):
    observer = gm.get_submodule(obs_node.target)
    scale, zero_point = observer.calculate_qparams()
    numbers = (scale.item(), zero_point.item(), observer.quant_min, observer.quant_max, observer.dtype)
    with gm.graph.inserting_after(obs_node):
        q = gm.graph.call_function(ops.quantize_per_tensor.default, (obs_node, *numbers))
    with gm.graph.inserting_after(q):
        dq = gm.graph.call_function(ops.dequantize_per_tensor.default, (q, *numbers))
    obs_node.replace_all_uses_with(dq, delete_user_cb=lambda user: user is not q)
