# Takes all readers of an observed node.
# finds: plain-readers
# not: every-module
from common.graph_utils import observer_nodes


# all users of the observed value too
def observed_edges(prepared):
    obs = {n for n, _ in observer_nodes(prepared)}
    found = set()
    for n in obs:
        p = n.args[0]
        for u in p.users:
            if u not in obs:
                found.add((p.name, u.name))
        for u in n.users:
            if u not in obs:
                found.add((p.name, u.name))
    return found
