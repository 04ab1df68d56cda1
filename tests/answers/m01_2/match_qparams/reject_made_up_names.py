# Makes up the names by counting.
# finds: by-order
from common.graph_utils import observer_nodes


def match_qparams(prepared, converted):
    result = {}
    new = {n.name: n for n in converted.graph.nodes}
    k = 0
    for obs, _o in observer_nodes(prepared):
        v = obs.args[0].name
        if v not in new:
            result[v] = (None, {"dequantize_per_channel_default" + (f"_{len(result)}" if result else "")})
        else:
            q = "quantize_per_tensor_default" + (f"_{k}" if k else "")
            k += 1
            result[v] = (q, {q.replace("quantize", "dequantize")})
    return result
