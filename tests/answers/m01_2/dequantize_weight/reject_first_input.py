# Takes the data for the weight.
# finds: data-not-weight
import torch


def dequantize_weight(gm, name):
    dq = next(n for n in gm.graph.nodes if n.name == name).args[0]

    def val(a):
        return getattr(gm, a.target) if isinstance(a, torch.fx.Node) else torch.tensor(a)

    q, s, z = map(val, dq.args[:3])
    return (q.float() - z) * s
