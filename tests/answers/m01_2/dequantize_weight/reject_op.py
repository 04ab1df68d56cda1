# finds: shortcut
import torch


def dequantize_weight(gm, name):
    dq = next(n for n in gm.graph.nodes if n.name == name).args[1]
    args = [getattr(gm, a.target) if hasattr(a, "target") else a for a in dq.args]
    if len(args) == 6:
        return torch.ops.quantized_decomposed.dequantize_per_tensor.default(*args)
    return torch.ops.quantized_decomposed.dequantize_per_channel.default(*args)
