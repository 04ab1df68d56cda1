# Readers are counted from their side; numbers are plain Python numbers where there is one.
from common.graph_utils import observer_nodes


def observer_table(prepared):
    modules = dict(prepared.named_modules(remove_duplicate=False))
    table, seen = {}, {}
    for node, _ in observer_nodes(prepared):
        module = modules[node.target]
        scale, zero_point = (q.flatten().tolist() for q in module.calculate_qparams())
        watched = node.args[0].name
        group = seen.setdefault(module, [])
        table[watched] = {
            "kind": type(module).__name__,
            "scale": scale[0] if len(scale) == 1 else scale,
            "zero_point": zero_point[0] if len(zero_point) == 1 else zero_point,
            "readers": sum(node in n.all_input_nodes for n in prepared.graph.nodes),
            "shares_with": (),
            "extra": "does no harm",
        }
        group.append(watched)
    for group in seen.values():
        for name in group:
            table[name]["shares_with"] = tuple(other for other in group if other != name)
    return table
