# finds: modules-not-nodes
from common.graph_utils import is_observer


def observer_table(prepared):
    result = {}
    for target, observer in prepared.named_modules():
        if is_observer(observer):
            node = next(n for n in prepared.graph.nodes if n.target == target)
            scale, zero_point = observer.calculate_qparams()
            result[node.args[0].name] = {
                "kind": type(observer).__name__,
                "scale": scale.flatten().tolist(),
                "zero_point": zero_point.flatten().tolist(),
                "readers": len(node.users),
                "shares_with": [],
            }
    return result
