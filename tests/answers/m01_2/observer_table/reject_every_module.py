# finds: every-module
from common.graph_utils import is_observer, module_of


def observer_table(prepared):
    found = [(n, module_of(prepared, n)) for n in prepared.graph.nodes if n.op == "call_module" and n.name != "_guards_fn"]
    result = {}
    for node, module in found:
        scale, zero_point = module.calculate_qparams() if is_observer(module) else (None, None)
        result[node.args[0].name] = {
            "kind": type(module).__name__,
            "scale": [] if scale is None else scale.tolist(),
            "zero_point": [] if scale is None else zero_point.tolist(),
            "readers": len(node.users),
            "shares_with": [n.args[0].name for n, m in found if m is module and n is not node],
        }
    return result
