# Calls the target of the node.
# finds: calls-the-op
import torch


def dequantize_weight(gm, name):
    node = {n.name: n for n in gm.graph.nodes}[name]
    dq = node.args[1]

    def val(a):
        return getattr(gm, a.target) if isinstance(a, torch.fx.Node) else a

    return dq.target(*map(val, dq.args))
