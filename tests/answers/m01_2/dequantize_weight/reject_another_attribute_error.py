# A slip of the pen: an attribute that nodes do not have.
# finds: raised
# not: numbers-not-nodes
from common.graph_utils import short


def dequantize_weight(gm, name):
    node = next(n for n in gm.graph.nodes if n.name == name)
    dq = node.args[1]
    q = getattr(gm, dq.args[0].targets).float()
    s, z = dq.args[1], dq.args[2]
    if short(dq.target) == "dequantize_per_channel":
        axis = dq.args[3]
        s, z = getattr(gm, s.target), getattr(gm, z.target)
        shape = [1] * q.dim()
        shape[axis] = -1
        s, z = s.reshape(shape), z.reshape(shape)
    return s * (q - z)
