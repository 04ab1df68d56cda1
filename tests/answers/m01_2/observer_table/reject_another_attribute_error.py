# A method that observers do not have.
# finds: raised
# not: every-module
from common.graph_utils import observer_nodes


def observer_table(prepared):
    pairs = observer_nodes(prepared)
    table = {}
    for node, obs in pairs:
        scale, zp = obs.get_qparams()
        table[node.args[0].name] = {
            "kind": type(obs).__name__,
            "scale": scale.tolist(),
            "zero_point": zp.tolist(),
            "readers": len(node.users),
            "shares_with": [n.args[0].name for n, o in pairs if o is obs and n is not node],
        }
    return table
