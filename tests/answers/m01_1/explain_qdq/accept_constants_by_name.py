# Counts the constants that convert has made of weights.
from common.graph_utils import qdq_nodes, short


def explain_qdq(gm):
    nodes = qdq_nodes(gm)
    q = [n for n in nodes if short(n.target).startswith("quantize")]
    dq = [n for n in nodes if short(n.target).startswith("dequantize")]
    pt = sum(short(n.target) == "dequantize_per_tensor" for n in dq)
    rep = sum(max(0, sum(d.args[0] is n for d in dq) - 1) for n in q)
    stored = sum("_frozen_param" in str(n.target) for n in gm.graph.nodes)
    return {"q": len(q), "dq_per_tensor": pt, "dq_per_channel": len(dq) - pt, "stored": stored, "repeated": rep}
