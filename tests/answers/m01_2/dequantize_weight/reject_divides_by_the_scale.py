# Divides by the scale.
# finds: divided
import torch


def dequantize_weight(gm, name):
    dq = next(n for n in gm.graph.nodes if n.name == name).args[1]

    def val(a):
        return getattr(gm, a.target) if isinstance(a, torch.fx.Node) else torch.tensor(a)

    q, s, z = map(val, dq.args[:3])
    if s.ndim:
        sh = [1] * q.ndim
        sh[dq.args[3]] = -1
        s, z = s.reshape(sh), z.reshape(sh)
    return (q.float() - z) / s
