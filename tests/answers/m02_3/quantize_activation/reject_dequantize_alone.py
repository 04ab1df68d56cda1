# finds: no-quantize
# not: no-dequantize
import torch

ops = torch.ops.quantized_decomposed


def quantize_activation(gm, obs_node):
    observer = gm.get_submodule(obs_node.target)
    scale, zero_point = observer.calculate_qparams()
    numbers = (scale.item(), zero_point.item(), observer.quant_min, observer.quant_max, observer.dtype)
    with gm.graph.inserting_before(obs_node):
        dq = gm.graph.call_function(ops.dequantize_per_tensor.default, (obs_node.args[0], *numbers))
    obs_node.replace_all_uses_with(dq)
    gm.graph.erase_node(obs_node)
