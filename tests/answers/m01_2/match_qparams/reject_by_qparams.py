# finds: by-numbers
from common.graph_utils import observer_nodes, qdq_nodes, short


def match_qparams(prepared, converted):
    q = [n for n in qdq_nodes(converted) if short(n.target).startswith("quantize")]
    dq = [n for n in qdq_nodes(converted) if short(n.target).startswith("dequantize")]

    def numbers(node):
        found = []
        for value in node.args[1:3]:
            value = getattr(converted, value.target) if hasattr(value, "target") else value
            found.append(value.flatten().tolist() if hasattr(value, "flatten") else [value])
        return found

    result = {}
    for node, observer in observer_nodes(prepared):
        wanted = [v.flatten().tolist() for v in observer.calculate_qparams()]
        same_q = [n.name for n in q if numbers(n) == wanted]
        result[node.args[0].name] = (same_q[0] if same_q else None, {n.name for n in dq if numbers(n) == wanted})
    return result
