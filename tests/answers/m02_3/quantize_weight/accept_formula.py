# The integers by the formula, plain attributes instead of buffers, and no zero points at all.
import torch

ops = torch.ops.quantized_decomposed


def quantize_weight(gm, obs_node):
    observer = gm.get_submodule(obs_node.target)
    weight = gm.get_parameter(obs_node.args[0].target).detach()
    scales, _zeros = observer.calculate_qparams()
    shape = [1] * weight.dim()
    shape[observer.ch_axis] = -1
    q = torch.round(weight / scales.reshape(shape)).clamp(observer.quant_min, observer.quant_max)
    integers, scale = f"{obs_node.name}_int", f"{obs_node.name}_scale"
    setattr(gm, integers, q.to(observer.dtype))
    setattr(gm, scale, scales)
    limits = (observer.ch_axis, observer.quant_min, observer.quant_max, observer.dtype)
    with gm.graph.inserting_after(obs_node):
        dq = gm.graph.call_function(ops.dequantize_per_channel.default)
    with gm.graph.inserting_before(dq):
        dq.args = (gm.graph.get_attr(integers), gm.graph.get_attr(scale), None, *limits)
    obs_node.replace_all_uses_with(dq)
    gm.graph.erase_node(obs_node)
    gm.graph.eliminate_dead_code()
    return dq
