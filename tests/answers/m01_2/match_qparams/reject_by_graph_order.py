# finds: by-order
from common.graph_utils import observer_nodes, qdq_nodes, short


def match_qparams(prepared, converted):
    q = [n for n in qdq_nodes(converted) if short(n.target) == "quantize_per_tensor" and n.args[0].op != "get_attr"]
    kept = set(q)
    stored = [n for n in qdq_nodes(converted) if short(n.target).startswith("dequantize") and n.args[0] not in kept]
    result, i, j = {}, 0, 0
    for node, _ in observer_nodes(prepared):
        if node.args[0].op == "get_attr":
            source = stored[j].args[0]
            result[node.args[0].name] = (source.name if source.op == "call_function" else None, {stored[j].name})
            j += 1
        else:
            result[node.args[0].name] = (q[i].name, {dq.name for dq in q[i].users})
            i += 1
    return result
