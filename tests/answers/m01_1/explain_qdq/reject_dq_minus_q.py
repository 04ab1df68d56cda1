# Takes the difference for the stored weights.
# finds: difference
from common.graph_utils import qdq_nodes, short


def explain_qdq(gm):
    nodes = qdq_nodes(gm)
    q = [n for n in nodes if short(n.target).startswith("quantize")]
    dq = [n for n in nodes if short(n.target).startswith("dequantize")]
    pt = sum(short(n.target) == "dequantize_per_tensor" for n in dq)
    rep = sum(max(0, sum(d.args[0] is n for d in dq) - 1) for n in q)
    stored = len(dq) - len(q)
    return {"q": len(q), "dq_per_tensor": pt, "dq_per_channel": len(dq) - pt, "stored": stored, "repeated": rep}
