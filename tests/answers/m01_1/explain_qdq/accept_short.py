from common.graph_utils import short


def explain_qdq(gm):
    calls = [n for n in gm.graph.nodes if n.op == "call_function"]
    q = [n for n in calls if short(n.target).startswith("quantize_per")]
    dq = [n for n in calls if short(n.target).startswith("dequantize_per")]
    sources = [n.args[0] for n in dq if n.args[0].op != "get_attr"]
    return {
        "q": len(q),
        "dq_per_tensor": sum("per_tensor" in short(n.target) for n in dq),
        "dq_per_channel": sum("per_channel" in short(n.target) for n in dq),
        "stored": len(dq) - len(sources),
        "repeated": len(sources) - len(set(sources)),
    }
