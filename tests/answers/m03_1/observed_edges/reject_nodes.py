# finds: not-names
from common.graph_utils import observer_nodes


def observed_edges(prepared):
    return {(node.args[0], user) for node, _ in observer_nodes(prepared) for user in node.users}
