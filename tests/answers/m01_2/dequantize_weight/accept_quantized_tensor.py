# Makes a quantized tensor of torch, and lets it dequantize itself.
import torch

from common.graph_utils import short


def dequantize_weight(gm, name):
    node = {n.name: n for n in gm.graph.nodes}[name]
    dq = node.args[1]

    def val(a):
        return getattr(gm, a.target) if isinstance(a, torch.fx.Node) else a

    q, s, z = map(val, dq.args[:3])
    if "channel" in short(dq.target):
        t = torch._make_per_channel_quantized_tensor(q, s.double(), z.long(), dq.args[3])
    else:
        t = torch._make_per_tensor_quantized_tensor(q, s, z)
    return t.dequantize()
