# Forgets to return.
# finds: returns-nothing
# not: not-names
from common.graph_utils import observer_nodes


def observed_edges(prepared):
    {n for n, _ in observer_nodes(prepared)}
