# An attribute that nodes do not have.
# finds: raised
# not: inside-lists
from common.graph_utils import observer_nodes


def match_qparams(prepared, converted):
    new = {n.name: n for n in converted.graph.nodes}
    result = {}
    for obs, _ in observer_nodes(prepared):
        dqs, q = set(), None
        for user in obs.users:
            twin = new[user.name]
            for pos, i in enumerate(user.all_input_nodes):
                if i is obs:
                    dq = twin.all_inputs[pos]
                    dqs.add(dq.name)
                    if dq.args[0].op == "call_function":
                        q = dq.args[0].name
        result[obs.args[0].name] = (q, dqs)
    return result
