# Each reader gets a dequantize of its own, as with convert_pt2e; keyword arguments; the module goes too.
import torch

ops = torch.ops.quantized_decomposed


def quantize_activation(gm, obs_node):
    observer = getattr(gm, obs_node.target)
    s, z = (v.item() for v in observer.calculate_qparams())
    rest = {"quant_min": observer.quant_min, "quant_max": observer.quant_max, "dtype": observer.dtype}
    with gm.graph.inserting_after(obs_node.args[0]):
        q = gm.graph.call_function(ops.quantize_per_tensor.default, (obs_node.args[0], s, z), rest)
    for reader in list(obs_node.users):
        with gm.graph.inserting_before(reader):
            dq = gm.graph.call_function(ops.dequantize_per_tensor.default, (q, s, z), rest)
        reader.replace_input_with(obs_node, dq)
    gm.graph.erase_node(obs_node)
    gm.delete_submodule(obs_node.target)
    gm.recompile()
    return gm
