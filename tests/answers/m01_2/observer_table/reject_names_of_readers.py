# Names of the readers instead of their number.
# finds: form
# not: raised
from common.graph_utils import observer_nodes


def observer_table(prepared):
    pairs = observer_nodes(prepared)

    def q(o):
        return [t.tolist() for t in o.calculate_qparams()]

    return {
        node.args[0].name: {
            "kind": type(obs).__name__,
            "scale": q(obs)[0],
            "zero_point": q(obs)[1],
            "readers": [u.name for u in node.users],
            "shares_with": [n.args[0].name for n, o in pairs if o is obs and n is not node],
        }
        for node, obs in pairs
    }
