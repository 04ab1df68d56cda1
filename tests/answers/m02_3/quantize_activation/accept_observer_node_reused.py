# The observer's node itself becomes the dequantize node: it keeps its name and its readers.
import torch

ops = torch.ops.quantized_decomposed


def quantize_activation(gm, obs_node):
    observer = gm.get_submodule(obs_node.target)
    scale, zero_point = observer.calculate_qparams()
    numbers = (float(scale), int(zero_point), observer.quant_min, observer.quant_max, observer.dtype)
    producer = obs_node.args[0]
    with gm.graph.inserting_before(obs_node):
        q = gm.graph.create_node("call_function", ops.quantize_per_tensor.default, (producer, *numbers))
    obs_node.op, obs_node.target, obs_node.args = "call_function", ops.dequantize_per_tensor.default, (q, *numbers)
