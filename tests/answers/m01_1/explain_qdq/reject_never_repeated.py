# finds: repeated-missed
from common.graph_utils import qdq_nodes, short


def explain_qdq(gm):
    nodes = qdq_nodes(gm)
    q = [n for n in nodes if short(n.target).startswith("quantize")]
    dq = [n for n in nodes if short(n.target).startswith("dequantize")]
    per_channel = [n for n in dq if "per_channel" in short(n.target)]
    stored = [n for n in dq if n.args[0].op == "get_attr"]
    readers = [[d for d in dq if d.args[0] is n] for n in q]
    return {
        "q": len(q),
        "dq_per_tensor": len(dq) - len(per_channel),
        "dq_per_channel": len(per_channel),
        "stored": len(stored),
        "repeated": 0,
    }
