# Looks the tensors up in state_dict, and goes channel by channel.
import torch


def dequantize_weight(gm, name):
    for n in gm.graph.nodes:
        if n.name == name:
            dq = n.args[1]
    stored = gm.state_dict()
    dict(gm.named_buffers())

    def get(node):
        return stored[node.target] if node.target in stored else getattr(gm, node.target)

    q = get(dq.args[0])
    out = torch.zeros(q.shape)
    if "per_channel" in str(dq.target):
        s, z, axis = get(dq.args[1]), get(dq.args[2]), dq.args[3]
        for c in range(q.shape[axis]):
            out.select(axis, c).copy_(float(s[c]) * (q.select(axis, c).float() - int(z[c])))
        return out
    return dq.args[1] * (q.float() - dq.args[2])
