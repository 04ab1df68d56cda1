# An assertion of its own about sizes.
# finds: raised
# not: wrong-axis
from common.graph_utils import short


def dequantize_weight(gm, name):
    node = next(n for n in gm.graph.nodes if n.name == name)
    dq = node.args[1]
    q = getattr(gm, dq.args[0].target).float()
    s, z = dq.args[1], dq.args[2]
    if short(dq.target) == "dequantize_per_channel":
        axis = dq.args[3]
        s, z = getattr(gm, s.target), getattr(gm, z.target)
        shape = [1] * q.dim()
        shape[axis] = -1
        s, z = s.reshape(shape), z.reshape(shape)
    assert q.shape == s.shape, "sizes must match"
    return s * (q - z)
