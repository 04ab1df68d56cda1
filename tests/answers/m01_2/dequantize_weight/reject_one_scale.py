# finds: one-scale
from common.graph_utils import short


def dequantize_weight(gm, name):
    node = next(n for n in gm.graph.nodes if n.name == name)
    dq = node.args[1]
    stored = getattr(gm, dq.args[0].target).float()
    if short(dq.target) == "dequantize_per_tensor":
        scale, zero_point = dq.args[1:3]
    else:
        shape = [1] * stored.dim()
        shape[dq.args[3]] = -1
        scale, zero_point = (getattr(gm, a.target).flatten()[0] for a in dq.args[1:3])
    return (stored - zero_point) * scale
