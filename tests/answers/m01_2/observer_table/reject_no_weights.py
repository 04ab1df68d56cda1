# finds: weights-left-out
from common.graph_utils import observer_nodes


def observer_table(prepared):
    found = observer_nodes(prepared)
    result = {}
    for node, observer in found:
        if node.args[0].op == "get_attr":
            continue
        scale, zero_point = observer.calculate_qparams()
        result[node.args[0].name] = {
            "kind": type(observer).__name__,
            "scale": scale.flatten().tolist(),
            "zero_point": zero_point.flatten().tolist(),
            "readers": len(node.users),
            "shares_with": {n.args[0].name for n, o in found if o is observer and n is not node},
        }
    return result
