# finds: not-names
from common.graph_utils import observer_nodes


def observed_edges(prepared):
    return {node.args[0].name for node, _ in observer_nodes(prepared)}
