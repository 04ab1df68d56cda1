# Activations and unfolded weights: the value itself is there in both graphs. Stored weights: by their reader.
from common.graph_utils import observer_nodes, qdq_nodes


def match_qparams(prepared, converted):
    new = {n.name: n for n in converted.graph.nodes}
    found = {}
    for node, _ in observer_nodes(prepared):
        name = node.args[0].name
        q = [u for u in new[name].users if u in qdq_nodes(converted)] if name in new else []
        if q:
            found[name] = [q[0].name, [dq.name for dq in q[0].users]]
        else:
            (reader,) = node.users
            place = reader.args.index(node)
            found[name] = [None, [new[reader.name].args[place].name]]
    return found
