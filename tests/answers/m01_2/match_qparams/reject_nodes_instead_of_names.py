# Nodes instead of names.
# finds: form
from common.graph_utils import observer_nodes


def match_qparams(prepared, converted):
    new = {n.name: n for n in converted.graph.nodes}
    result = {}
    for obs, _ in observer_nodes(prepared):
        dqs = {new[r.name].all_input_nodes[r.all_input_nodes.index(obs)] for r in obs.users}
        d = next(iter(dqs))
        result[obs.args[0].name] = (d.args[0] if d.args[0].op == "call_function" else None, dqs)
    return result
