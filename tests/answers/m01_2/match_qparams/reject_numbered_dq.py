# finds: raised
# One dq for each q, of the same number.
from common.graph_utils import observer_nodes


def match_qparams(prepared, converted):
    new = {n.name: n for n in converted.graph.nodes}
    result = {}
    for node, _ in observer_nodes(prepared):
        value = node.args[0].name
        if value in new:
            q = next(u for u in new[value].users if u.name.startswith("quantize"))
            result[value] = (q.name, {new["de" + q.name].name})
        else:
            result[value] = (None, {new[next(iter(node.users)).name].args[1].name})
    return result
