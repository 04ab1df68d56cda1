# Names the consumer first.
# finds: reversed
# not: every-module
from common.graph_utils import observer_nodes


def observed_edges(prepared):
    obs = {n for n, _ in observer_nodes(prepared)}
    found = set()
    for c in prepared.graph.nodes:
        if c in obs:
            continue
        for i in c.all_input_nodes:
            p = i
            while p in obs:
                p = p.args[0]
            if p is not i:
                found.add((c.name, p.name))
    return found
