# Flattens the weight, and leaves it flat.
# finds: flattened
import torch


def dequantize_weight(gm, name):
    dq = next(n for n in gm.graph.nodes if n.name == name).args[1]

    def val(a):
        return getattr(gm, a.target) if isinstance(a, torch.fx.Node) else torch.tensor(a)

    q, s, z = map(val, dq.args[:3])
    return (q.float().flatten(1) - z[:, None]) * s[:, None]
