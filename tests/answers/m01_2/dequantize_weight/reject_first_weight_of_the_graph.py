# Takes the first stored weight, whichever name is given.
# finds: first-weight
import torch

from common.graph_utils import qdq_nodes


def dequantize_weight(gm, name):
    dq = next(n for n in qdq_nodes(gm) if "dequantize" in str(n.target) and n.args[0].op == "get_attr")

    def val(a):
        return getattr(gm, a.target) if isinstance(a, torch.fx.Node) else torch.tensor(a)

    q, s, z = map(val, dq.args[:3])
    if s.ndim:
        sh = [1] * q.ndim
        sh[dq.args[3]] = -1
        s, z = s.reshape(sh), z.reshape(sh)
    return (q.float() - z) * s
