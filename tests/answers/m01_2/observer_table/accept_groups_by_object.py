# Counts readers from their side, and gives sets.
from common.graph_utils import observer_nodes


def observer_table(prepared):
    groups, out = {}, {}
    for n, o in observer_nodes(prepared):
        groups.setdefault(o, set()).add(n.all_input_nodes[0].name)
    for n, o in observer_nodes(prepared):
        s, z = o.calculate_qparams()
        name = n.all_input_nodes[0].name
        out[name] = {
            "kind": o.__class__.__name__,
            "scale": s.flatten().tolist(),
            "zero_point": [int(v) for v in z.flatten()],
            "readers": sum(n in m.all_input_nodes for m in prepared.graph.nodes),
            "shares_with": groups[o] - {name},
        }
    return out
