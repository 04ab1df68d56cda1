# Looks at the first input of each node.
# finds: first-input-only
from common.graph_utils import observer_nodes


def observed_edges(prepared):
    obs = {n for n, _ in observer_nodes(prepared)}
    found = set()
    for c in prepared.graph.nodes:
        if c in obs or not c.all_input_nodes:
            continue
        i = p = c.all_input_nodes[0]
        while p in obs:
            p = p.args[0]
        if p is not i:
            found.add((p.name, c.name))
    return found
