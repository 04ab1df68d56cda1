# From the producers: walk through observers, and note whoever reads the last ones. _guards_fn is left out.
from common.graph_utils import is_observer, module_of


def observed_edges(prepared):
    def observer(node):
        return is_observer(module_of(prepared, node))

    def readers(node):
        for user in node.users:
            yield from readers(user) if observer(user) else [user]

    found = []
    for producer in prepared.graph.nodes:
        if not observer(producer):
            for first in filter(observer, producer.users):
                found += [(producer.name, c.name) for c in readers(first) if c.name != "_guards_fn"]
    return frozenset(found)
