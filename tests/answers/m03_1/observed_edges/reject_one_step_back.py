# finds: chained
from common.graph_utils import observer_nodes


def observed_edges(prepared):
    observers = {node for node, _ in observer_nodes(prepared)}
    return {(o.args[0].name, u.name) for o in observers for u in o.users if u not in observers}
