# Takes args[0] of each reader.
# finds: inside-lists
# not: raised
from common.graph_utils import observer_nodes


def match_qparams(prepared, converted):
    new = {n.name: n for n in converted.graph.nodes}
    result = {}
    for obs, _ in observer_nodes(prepared):
        dqs = {new[r.name].args[0] for r in obs.users}
        d = next(iter(dqs))
        q = d.args[0].name if d.args[0].op == "call_function" else None
        result[obs.args[0].name] = (q, {d.name for d in dqs})
    return result
