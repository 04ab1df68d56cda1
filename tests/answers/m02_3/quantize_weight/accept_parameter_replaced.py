# The integers take the place of the float parameter, under its name; scales and zeros stand beside it.
import torch
from torch import nn

ops = torch.ops.quantized_decomposed


def quantize_weight(gm, obs_node):
    observer, source = gm.get_submodule(obs_node.target), obs_node.args[0]
    path, _, name = source.target.rpartition(".")
    owner = gm.get_submodule(path)
    scales, zeros = observer.calculate_qparams()
    numbers = (observer.ch_axis, observer.quant_min, observer.quant_max, observer.dtype)
    with torch.no_grad():
        q = ops.quantize_per_channel.default(getattr(owner, name), scales, zeros, *numbers)
    setattr(owner, name, nn.Parameter(q, requires_grad=False))
    owner.register_buffer("scales", scales)
    owner.register_buffer("zeros", zeros)
    with gm.graph.inserting_after(source):
        s = gm.graph.get_attr(f"{path}.scales")
        z = gm.graph.get_attr(f"{path}.zeros")
    with gm.graph.inserting_after(obs_node):
        dq = gm.graph.call_function(ops.dequantize_per_channel.default, (source, s, z, *numbers))
    obs_node.replace_all_uses_with(dq)
    gm.graph.erase_node(obs_node)
    gm.recompile()
