# finds: first-user-only
from common.graph_utils import observer_nodes


def observed_edges(prepared):
    observers = {node for node, _ in observer_nodes(prepared)}
    edges = set()
    for node in observers:
        user = next(u for u in node.users if u.name != "_guards_fn")
        producer = node
        while producer in observers:
            producer = producer.args[0]
        while user in observers:
            user = next(iter(user.users))
        edges.add((producer.name, user.name))
    return edges
