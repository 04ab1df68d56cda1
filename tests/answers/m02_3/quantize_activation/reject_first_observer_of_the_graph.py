# Takes the first observer of the graph, whichever was given.
# finds: another-observer
import torch

from common.graph_utils import observer_nodes

ops = torch.ops.quantized_decomposed


def quantize_activation(gm, obs_node):
    obs_node, observer = observer_nodes(gm)[0]
    scale, zp = observer.calculate_qparams()
    numbers = (scale.item(), zp.item(), observer.quant_min, observer.quant_max, observer.dtype)
    with gm.graph.inserting_after(obs_node):
        q = gm.graph.call_function(ops.quantize_per_tensor.default, (obs_node.args[0], *numbers))
    with gm.graph.inserting_after(q):
        dq = gm.graph.call_function(ops.dequantize_per_tensor.default, (q, *numbers))
    obs_node.replace_all_uses_with(dq)
    gm.graph.erase_node(obs_node)
