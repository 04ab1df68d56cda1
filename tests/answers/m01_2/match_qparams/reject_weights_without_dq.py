# No dequantize nodes for weights.
# finds: no-dq-of-weight
from common.graph_utils import observer_nodes, short


def match_qparams(prepared, converted):
    new = {n.name: n for n in converted.graph.nodes}
    result = {}
    for obs, _ in observer_nodes(prepared):
        v = obs.args[0].name
        if v in new:
            q = next(u for u in new[v].users if short(u.target).startswith("quantize"))
            result[v] = (q.name, {u.name for u in q.users})
        else:
            result[v] = (None, set())
    return result
