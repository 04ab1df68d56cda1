# For axis 1 the op itself refuses: there are more channels than scales. The public cases show it, with axis 1.
# finds: wrong-axis
# not: raised
import torch

ops = torch.ops.quantized_decomposed


def quantize_weight(gm, obs_node):
    observer = gm.get_submodule(obs_node.target)
    weight = gm.get_parameter(obs_node.args[0].target)
    scales, zeros = observer.calculate_qparams()
    numbers = (0, observer.quant_min, observer.quant_max, observer.dtype)
    stored = ops.quantize_per_channel(weight.detach(), scales, zeros, *numbers)
    for name, tensor in (("stored", stored), ("scales", scales), ("zeros", zeros)):
        gm.register_buffer(f"{obs_node.name}_{name}", tensor)
    with gm.graph.inserting_before(obs_node):
        nodes = [gm.graph.get_attr(f"{obs_node.name}_{name}") for name in ("stored", "scales", "zeros")]
        dq = gm.graph.call_function(ops.dequantize_per_channel.default, (*nodes, *numbers))
    obs_node.replace_all_uses_with(dq)
    gm.graph.erase_node(obs_node)
