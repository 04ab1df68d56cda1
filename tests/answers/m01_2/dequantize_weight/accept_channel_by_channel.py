# In float64, channel by channel.
import torch


def dequantize_weight(gm, name):
    (dq,) = (n.args[1] for n in gm.graph.nodes if n.name == name)
    value = lambda a: getattr(gm, a.target) if hasattr(a, "target") else torch.tensor(a)
    q, s, z = (value(a).double() for a in dq.args[:3])
    if s.dim() == 0:
        return s * q - s * z
    axis = dq.args[3]
    parts = [s[i] * (q.select(axis, i) - z[i]) for i in range(len(s))]
    return torch.stack(parts, dim=axis)
