# finds: plain-readers
from common.graph_utils import observer_nodes


def observed_edges(prepared):
    observers = {node for node, _ in observer_nodes(prepared)}
    edges = set()

    def readers(node):
        for user in node.users:
            if user in observers:
                yield from readers(user)
            else:
                yield user

    for node in observers:
        if node.args[0] not in observers:
            edges |= {(node.args[0].name, user.name) for user in readers(node.args[0])}
    return edges
