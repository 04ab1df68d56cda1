# Takes the observer out, and splices both ops in behind the value.
import torch

from common.graph_utils import splice_op

ops = torch.ops.quantized_decomposed


def quantize_activation(gm, obs_node):
    o = gm.get_submodule(obs_node.target)
    s, z = o.calculate_qparams()
    rest = s.item(), z.item(), o.quant_min, o.quant_max, o.dtype
    value = obs_node.args[0]
    obs_node.replace_all_uses_with(value)
    gm.graph.erase_node(obs_node)
    q = splice_op(gm, value, ops.quantize_per_tensor.default, *rest)
    splice_op(gm, q, ops.dequantize_per_tensor.default, *rest)
