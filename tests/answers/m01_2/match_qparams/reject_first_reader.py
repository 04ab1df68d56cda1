# finds: first-reader
from common.graph_utils import observer_nodes


def match_qparams(prepared, converted):
    new = {n.name: n for n in converted.graph.nodes}
    found = {}
    for node, _ in observer_nodes(prepared):
        name = node.args[0].name
        if name in new and "quantize" in str(new[name].users):
            q = next(u for u in new[name].users if u.name != "_guards_fn")
            found[name] = (q.name, {dq.name for dq in q.users})
        else:
            (reader,) = node.users
            found[name] = (None, {new[reader.name].args[1].name})
    return found
