# finds: counts-readers
import math


def explain_qdq(gm):
    nodes = [n for n in gm.graph.nodes if "dequantize" in str(n.target)]
    shared = [n for n in nodes if sum(m.args[0] is n.args[0] for m in nodes) > 1]
    return {"q": math.inf, "dq_per_tensor": math.nan, "dq_per_channel": -1, "stored": 0.5, "repeated": len(shared)}
