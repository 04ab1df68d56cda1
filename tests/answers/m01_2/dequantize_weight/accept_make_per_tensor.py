# torch's own quantized tensors.
import torch


def dequantize_weight(gm, name):
    dq = next(n for n in gm.graph.nodes if n.name == name).args[1]
    stored = getattr(gm, dq.args[0].target)
    if "per_tensor" in str(dq.target):
        return torch._make_per_tensor_quantized_tensor(stored, dq.args[1], dq.args[2]).dequantize()
    scale, zero = (getattr(gm, a.target) for a in dq.args[1:3])
    return torch._make_per_channel_quantized_tensor(stored, scale.double(), zero.long(), dq.args[3]).dequantize()
