# finds: not-stored
# not: no-dequantize-of-weight, float-constant
import torch

ops = torch.ops.quantized_decomposed


def quantize_weight(gm, obs_node):
    observer = gm.get_submodule(obs_node.target)
    weight = gm.get_parameter(obs_node.args[0].target)
    scales, zeros = observer.calculate_qparams()
    numbers = (observer.ch_axis, observer.quant_min, observer.quant_max, observer.dtype)
    stored = ops.quantize_per_channel(weight.detach(), scales, zeros, *numbers)
    for name, tensor in (("scales", scales), ("zeros", zeros)):
        gm.register_buffer(f"{obs_node.name}_{name}", tensor)
    with gm.graph.inserting_before(obs_node):
        nodes = [gm.graph.get_attr(f"{obs_node.name}_{name}") for name in ("scales", "zeros")]
        q = gm.graph.call_function(ops.quantize_per_channel.default, (obs_node.args[0], *nodes, *numbers))
        dq = gm.graph.call_function(ops.dequantize_per_channel.default, (q, *nodes, *numbers))
    obs_node.replace_all_uses_with(dq)
    gm.graph.erase_node(obs_node)
