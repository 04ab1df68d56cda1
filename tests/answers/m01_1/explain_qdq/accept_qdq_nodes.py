# A key more than asked for does no harm.
from common.graph_utils import qdq_nodes


def explain_qdq(gm):
    nodes = qdq_nodes(gm)
    q = {n for n in nodes if "dequantize" not in str(n.target)}
    dq = [n for n in nodes if n not in q]
    result = dict(q=len(q), dq_per_channel=0, dq_per_tensor=0, stored=0, repeated=0)
    for n in dq:
        result["dq_per_channel" if "per_channel" in str(n.target) else "dq_per_tensor"] += 1
        result["stored"] += n.args[0] not in q
    for n in q:
        result["repeated"] += max(0, len(n.users) - 1)
    result["total"] = len(nodes)
    return result
