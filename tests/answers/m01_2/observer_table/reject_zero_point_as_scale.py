# Scale and zero point exchanged.
# finds: swapped
from common.graph_utils import observer_nodes


def observer_table(prepared):
    pairs = observer_nodes(prepared)

    def q(o):
        return [t.tolist() for t in o.calculate_qparams()]

    return {
        node.args[0].name: {
            "kind": type(obs).__name__,
            "scale": q(obs)[1],
            "zero_point": q(obs)[0],
            "readers": len(node.users),
            "shares_with": [n.args[0].name for n, o in pairs if o is obs and n is not node],
        }
        for node, obs in pairs
    }
