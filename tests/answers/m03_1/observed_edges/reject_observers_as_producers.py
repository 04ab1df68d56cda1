# finds: observer-as-producer
from common.graph_utils import observer_nodes


def observed_edges(prepared):
    return {(node.name, user.name) for node, _ in observer_nodes(prepared) for user in node.users}
